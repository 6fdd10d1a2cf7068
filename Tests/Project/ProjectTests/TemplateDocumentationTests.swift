import Foundation
import TestSupport
import Testing

@testable import CodeGeneration

@Suite struct TemplateDocumentationTests {
    /// The table in Documentation/Guides/Templates.md lists exactly the names that a template can use.
    @Test func everyNameIsDescribed() throws {
        let page = Checkout.root.appendingPathComponent("Documentation/Guides/Templates.md")
        // The tables behind it are of other generators' names.
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
            .prefix { !$0.hasPrefix("## Coming from") }.filter { $0.hasPrefix("| `") }
        let described = rows.compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
        #expect(Set(described) == Set(RenderName.allCases.map(\.rawValue)))
    }
}
