import Diagnostics
import ModelLint
import ProjectConfiguration
import Testing

/// `.modelc.yml`.
@Suite struct ConfigurationTests {
    private func read(_ text: String) -> (ProjectSettings, [String]) {
        let (configuration, problems) = ProjectSettings.read(
            Array(text.utf8), path: ".modelc.yml", rules: RuleRegistry.catalog)
        return (
            configuration,
            problems.map { "\($0.range?.start.line ?? 0):\($0.range?.start.column ?? 0) \($0.message)" }
        )
    }

    @Test func everyKeyIsRead() {
        let (configuration, problems) = read(
            """
            # Settings
            version: 1
            profile: cloudkit
            rules:
              missing-inverse: error   # a comment
              MC2008: "off"
            enable: [optional-scalar, 'unused-entity']
            disable:
            - unknown-xml
            exclude:
              - Pods
              - "Tests/**/Old*"
            include: Sources
            ignore:
              cascade-cycle: [Legacy]
            versions: all
            fail-level: warning
            baseline: .baseline
            sources: [App, Kit]
            """)
        #expect(problems == [])
        #expect(configuration.profile == .cloudkit)
        #expect(configuration.severities[.missingInverse] == .some(.error))
        #expect(configuration.severities[.orderedToMany] == .some(nil))
        #expect(configuration.severities[.unknownXML] == .some(nil))
        #expect(configuration.enabled.map(\.id) == [.optionalScalar, .unusedEntity])
        #expect(configuration.excluded.map(\.text) == ["Pods", "Tests/**/Old*"])
        #expect(configuration.included.map(\.text) == ["Sources"])
        #expect(configuration.ignored[.cascadeCycle]?.map(\.text) == ["Legacy"])
        #expect(configuration.versions == .all)
        #expect(configuration.failLevel == .warning)
        #expect(configuration.baseline == ".baseline")
        #expect(configuration.sources == ["App", "Kit"])
    }

    @Test(arguments: [
        ("rules: {}", "1:1 the key “version” is missing"),
        ("version: 2", "1:10 this modelc reads version 1 of the configuration, not “2”"),
        ("version: 1\nrulez: {}", "2:1 unknown key “rulez”"),
        ("version: 1\nrules:\n  misssing-inverse: error", "3:3 unknown rule “misssing-inverse”"),
        ("version: 1\nrules:\n  missing-inverse: fatal", "3:20 invalid severity “fatal”"),
        ("version: 1\nrules: [a]", "2:8 expected a mapping of rule names to severities"),
        ("version: 1\nprofile: ipad", "2:10 invalid value “ipad” for “profile”"),
        ("version: 1\nfail-level: off", "2:13 invalid severity “off”"),
        ("version: 1\nversion: 1", "2:1 duplicate key “version”, first in line 1"),
        ("version: 1\nbaseline: [a]", "2:11 expected a string"),
        ("version: 1\n\texclude: a", "2:1 YAML is indented with spaces, not tabs"),
        ("version: 1\nexclude: [a, b", "2:10 missing “]”: a collection in brackets must end in its line"),
        ("version: 1\nexclude: \"a", "2:10 missing end quote: a text in quotes must end in its line"),
        ("version: 1\nexclude: &a b", "2:10 unsupported YAML syntax: “&”"),
        ("version: 1\nexclude: |\n  a", "2:10 unsupported YAML syntax: “|”"),
        ("version: 1\n  exclude: a", "2:3 unexpected indentation: a value must fit in one line"),
        ("version: 1\nexclude", "2:1 expected a key with a colon"),
        ("version: 1\ndisable: [invalid-name]", "2:11 “invalid-name” is not a lint rule"),
        ("- a", "1:1 expected a mapping at the top level"),
    ])
    func invalidConfigurationsAreReported(text: String, problem: String) {
        #expect(read(text).1 == [problem])
    }

    @Test func misspelledKeysGetSuggestions() {
        let problems = ProjectSettings.read(Array("version: 1\nexlude: a".utf8), path: "p", rules: RuleRegistry.catalog)
            .problems
        #expect(problems.first?.help == "Did you mean “exclude”?")
        #expect(problems.first?.file == "p")
    }

    /// Any text can be read without a trap.
    @Test func anyTextIsReadWithoutTrapping() {
        let pieces = [
            "version: 1", "\n", "  ", "- ", "a:", "[", "]", "{", "}", "\"", "'", "#", ",", ":", "é", "\t", "|", "- - a",
        ]
        var state: UInt64 = 1
        for _ in 0..<3000 {
            var text = ""
            for _ in 0..<12 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                text += pieces[Int(state >> 33) % pieces.count]
            }
            _ = ProjectSettings.read(Array(text.utf8), path: "p", rules: RuleRegistry.catalog)
        }
    }

    @Test(arguments: [
        ("Pods", "Pods/A.xcdatamodeld", true), ("Pods", "Podsy/A", false), ("Pods/", "Pods/A", true),
        ("*.xcdatamodeld", "A.xcdatamodeld", true), ("*.xcdatamodeld", "B/A.xcdatamodeld", false),
        ("**/*.xcdatamodeld", "B/C/A.xcdatamodeld", true), ("**/*.xcdatamodeld", "A.xcdatamodeld", true),
        ("Tests/**/Old", "Tests/Old/x", true), ("Tests/**/Old", "Tests/a/b/Old", true), ("T?sts", "Tests", true),
        ("./Sources", "Sources/A", true), ("Sources/**", "Sources/A/B", true), ("", "a", false), ("**", "a/b", true),
        ("a*a*a*a*a*a*a*a*a*b", String(repeating: "a", count: 200), false),
    ])
    func pathPatternsMatch(pattern: String, path: String, isMatch: Bool) {
        #expect(PathPattern(pattern).matches(path) == isMatch)
    }
}
