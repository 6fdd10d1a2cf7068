import Foundation
import TestSupport
import Testing

@testable import ModelcDriver

/// `Documentation/Guides/Rules.md` is the output of `modelc rules --format markdown`.
@Suite struct RulesPageTests {
    private static let page = Checkout.root.appendingPathComponent("Documentation/Guides/Rules.md")

    private final class Recorder {
        var text = ""
    }

    private static func rules() -> String {
        let recorder = Recorder()
        let environment = DriverEnvironment(
            files: POSIXFileSystem(), output: { recorder.text += $0 }, errorOutput: { _ in }, usesColor: false)
        #expect(RulesCommand.runProgram(["--format", "markdown"], in: environment) == .success)
        return recorder.text
    }

    /// `UPDATE_GOLDENS=1 swift test --filter RulesPage` updates the page, like other golden files.
    @Test func pageMatchesTheRules() throws {
        let text = Self.rules()
        if ProcessInfo.processInfo.environment["UPDATE_GOLDENS"] == "1" { try Data(text.utf8).write(to: Self.page) }
        #expect(try String(contentsOf: Self.page, encoding: .utf8) == text)
    }

    /// Every link in the tables refers to a section.
    @Test func everyLinkHasASection() {
        let text = Self.rules()
        let anchors = text.split(separator: "](#").dropFirst().compactMap { $0.split(separator: ")").first }
        #expect(anchors.count > 60)
        for anchor in anchors { #expect(text.contains("\n### \(anchor)\n")) }
    }
}
