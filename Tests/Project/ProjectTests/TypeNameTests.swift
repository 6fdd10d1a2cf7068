import Foundation
import TestSupport
import Testing

/// A name belongs to one type: a type of a module is not called like one of another module.
@Suite struct TypeNameTests {
    /// The entry points of the programs, and Apple's names: Foundation's classes, which are declared once for each use,
    /// and SwiftData's `Schema`.
    private static let shared: Set = ["Main", "NSComparisonPredicate", "NSExpression", "Schema"]

    /// Returns the names of the types that a file declares and other files can use.
    private static func types(in text: String) -> [String] {
        text.split(separator: "\n").compactMap { line in
            guard let match = line.prefixMatch(of: declaration), !match.output.1.contains("private") else { return nil }
            return String(match.output.2)
        }
    }

    nonisolated(unsafe) private static let declaration =
        /((?:@\w+(?:\([^)]*\))? |package |public |internal |private |fileprivate |final |open |indirect )*)(?:class|struct|enum|protocol|actor|typealias) (\w+)/

    @Test func namesAreUnique() throws {
        let sources = Checkout.root.appendingPathComponent("Sources")
        let paths = try #require(FileManager.default.enumerator(atPath: sources.path)).compactMap { $0 as? String }
        var modules: [String: Set<String>] = [:]
        for path in paths where path.hasSuffix(".swift") {
            let module = path.split(separator: "/").dropFirst().first.map(String.init) ?? ""
            let text = try String(contentsOf: sources.appendingPathComponent(path), encoding: .utf8)
            for name in Self.types(in: text) { modules[name, default: []].insert(module) }
        }
        #expect(modules.count > 1000)
        #expect(modules.filter { $0.value.count > 1 && !Self.shared.contains($0.key) } == [:])
    }

    @Test func declarationsAreFound() {
        let text = """
            package struct First: Sendable {
                struct Inner {}
            }
            @MainActor final class Second {}
            private enum Third {}
            typealias Fourth = Int
            """
        #expect(Self.types(in: text) == ["First", "Second", "Fourth"])
    }
}
