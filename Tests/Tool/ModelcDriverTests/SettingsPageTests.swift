import Foundation
import ModelLint
import ProjectConfiguration
import TestSupport
import Testing

@testable import ModelcDriver

/// `Documentation/Guides/Settings.md` is the output of `modelc config reference`, and the schema describes what the
/// parser accepts.
@Suite struct SettingsPageTests {
    private static let page = Checkout.root.appendingPathComponent("Documentation/Guides/Settings.md")

    private final class Recorder {
        var text = ""
    }

    private static func output(of command: any DriverCommand.Type) -> String {
        let recorder = Recorder()
        let environment = DriverEnvironment(
            files: POSIXFileSystem(), output: { recorder.text += $0 }, errorOutput: { _ in }, usesColor: false)
        #expect(command.runProgram([], in: environment) == .success)
        return recorder.text
    }

    /// `UPDATE_GOLDENS=1 swift test --filter SettingsPage` updates the page, like other golden files.
    @Test func pageMatchesTheKeys() throws {
        let text = Self.output(of: ConfigReferenceCommand.self)
        if ProcessInfo.processInfo.environment["UPDATE_GOLDENS"] == "1" { try Data(text.utf8).write(to: Self.page) }
        #expect(try String(contentsOf: Self.page, encoding: .utf8) == text)
    }

    /// The parser accepts the page's file, which has every key.
    @Test func theExampleIsRead() throws {
        let text = Self.output(of: ConfigReferenceCommand.self)
        let block = try #require(text.split(separator: "```yaml\n").last?.split(separator: "```").first)
        let (configuration, problems) = ProjectSettings.read(
            Array(block.utf8), path: ".modelc.yml", rules: RuleRegistry.catalog)
        #expect(problems.isEmpty)
        #expect(configuration.baseline == ".modelc-baseline")
        #expect(configuration.omittedChecks == [.format])
        #expect(configuration.strategy == .stepwise)
        #expect(configuration.generation.map(\.key) == ["with"])
        for key in ProjectSettings.keys { #expect(block.contains("\(key.name): \(key.example)\n")) }
    }

    @Test func theSchemaHasEveryKeyWithItsValues() throws {
        let schema = try #require(
            try JSONSerialization.jsonObject(with: Data(Self.output(of: ConfigSchemaCommand.self).utf8))
                as? [String: Any])
        let properties = try #require(schema["properties"] as? [String: [String: Any]])
        #expect(Set(properties.keys) == Set(ProjectSettings.keys.map(\.name)))
        #expect(schema["additionalProperties"] as? Bool == false)
        #expect(properties["profile"]?["enum"] as? [String] == ["cloudkit"])
        let generate = try #require(properties["generate"]?["properties"] as? [String: [String: Any]])
        #expect(Set(generate.keys) == ["with", "imports", "isolation", "keys-style"])
        let definitions = try #require(schema["definitions"] as? [String: [String: Any]])
        let rules = try #require(definitions["rule"]?["enum"] as? [String])
        #expect(rules.contains("missing-inverse") && rules.contains("MC0506"))
        for name in rules {
            let (_, problems) = ProjectSettings.read(
                Array("version: 1\nrules: {\(name): off}".utf8), path: "", rules: RuleRegistry.catalog)
            #expect(problems.isEmpty, "\(name)")
        }
    }
}
