package import Diagnostics
internal import ModelSchema

/// The contents of `.modelc.yml`.
///
/// ```yaml
/// version: 1
/// profile: cloudkit            # rules for a use of the model
/// rules:
///   ordered-to-many: warning   # error, warning, note or off; by name or code
/// enable: [optional-scalar]    # rules that are off by default
/// disable: [unknown-xml]
/// exclude: [Pods, "Tests/**"]  # paths that are skipped
/// ignore:
///   missing-inverse: [Legacy]  # paths to which a rule does not apply
/// versions: all                # all, current, or default
/// fail-level: warning          # the lowest severity that fails: error, warning or note
/// baseline: .modelc-baseline
/// sources: [Sources/App]
/// breaking:
///   strategy: stepwise         # the app migrates from version to version; default: direct
/// check:                       # what “modelc check” does
///   without: [format]          # checks that are left out
/// against: origin/main         # what “modelc check” compares with
/// production: production.ckdb  # the schema of CloudKit's production environment
/// required-version: 0.2.0      # the only version of modelc that may read the file
/// generate:                    # code beyond Xcode's, see Documentation/Guides/GeneratedSwift.md
///   with: [raw, sets]
/// ```
package struct LintConfiguration: Sendable {
    /// The versions of a model to check.
    package enum Versions: String, CaseIterable, Sendable {
        /// Errors in all versions, all findings in the current one.
        case standard = "default"
        /// All findings in all versions.
        case all
        /// Only the current version.
        case current
    }

    /// How the app migrates stores of old versions.
    package enum Strategy: String, CaseIterable, Sendable {
        /// From every version to the current one in one step, as Core Data does by itself.
        case direct
        /// From each version to the next one, as apps do in code.
        case stepwise
    }

    /// A part of `modelc check`.
    package enum Check: String, CaseIterable, Sendable {
        /// The rules of `modelc lint`.
        case lint
        /// The layout of files, as by `modelc format --check`.
        case format
        /// The comparison with the released state, as by `modelc breaking`.
        case breaking
        /// The comparison with `modelc.lock`, as by `modelc lock check`.
        case lock
        /// The comparison with CloudKit's production schema, as by `modelc cloudkit check`.
        case cloudkit
        /// The comparison of committed code with what `modelc generate` writes.
        case generate
    }

    /// A use of models with additional rules.
    package enum Profile: String, CaseIterable, Sendable {
        /// The model is synchronized with CloudKit.
        case cloudkit
    }

    /// The severity of each rule's findings; `nil` turns a rule off.
    package var severities: [RuleID: Severity?] = [:]
    /// Rules that are turned on.
    package var enabled: [RuleDescription] = []
    /// Paths that are not checked.
    package var excluded: [PathPattern] = []
    /// The only paths that are checked; empty for all.
    package var included: [PathPattern] = []
    /// Paths at which a rule is off.
    package var ignored: [RuleID: [PathPattern]] = [:]
    /// The use of the model.
    package var profile: Profile?
    /// The versions to check.
    package var versions: Versions?
    /// The lowest severity that fails.
    package var failLevel: Severity?
    /// The path of the baseline, relative to the folder of the configuration.
    package var baseline: String?
    /// The folders of the target's sources, relative to the folder of the configuration.
    package var sources: [String] = []
    /// Conditions of `#if` in Swift sources that are true, or false if they end in `=false`.
    package var definitions: [String] = []
    /// How the app migrates, for `modelc breaking`.
    package var strategy: Strategy?
    /// The parts of `modelc check` that are left out.
    package var omittedChecks: Set<Check> = []
    /// What `modelc check` compares with, as written.
    package var reference: String?
    /// The path of the schema of CloudKit's production environment, relative to the folder of the configuration.
    package var productionSchema: String?
    /// The version of modelc that the file is for, with its range.
    package var requiredVersion: (text: String, range: SourceRange)?
    /// The entries of `generate:`, which the generator reads.
    package var generation: [GenerationEntry] = []

    /// A key of `generate:` with its texts, as written.
    package struct GenerationEntry: Sendable {
        /// The key.
        package var key: String
        /// The range of the key.
        package var range: SourceRange
        /// The texts, with their ranges.
        package var values: [(text: String, range: SourceRange)]
    }

    /// Creates an empty configuration.
    package init() {}

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - path: Its path, for findings.
    /// - Returns: The configuration, and the errors in the file with their locations. If there are errors, the
    ///   configuration should not be used.
    package static func read(_ bytes: [UInt8], path: String) -> (
        configuration: LintConfiguration, problems: [Diagnostic]
    ) {
        var reader = ConfigurationReader(path: path, lines: LineIndex(bytes))
        do throws(YAMLSubset.Failure) {
            reader.read(try YAMLSubset.parse(bytes))
        } catch {
            reader.report(error.message, at: error.offset, help: "See “modelc lint --help” for an example.")
        }
        return (reader.configuration, reader.problems)
    }
}

/// Converts a file's nodes to a configuration.
private struct ConfigurationReader {
    let path: String
    let lines: LineIndex
    var configuration = LintConfiguration()
    var problems: [Diagnostic] = []

    /// The maximum number of problems that are reported. A file with more is not a settings file.
    private static let problemLimit = 100

    init(path: String, lines: LineIndex) {
        self.path = path
        self.lines = lines
    }

    mutating func report(
        _ message: @autoclosure () -> String, at offset: Int, length: Int = 1, help: @autoclosure () -> String? = nil
    ) {
        guard problems.count < Self.problemLimit else { return }
        problems.append(
            Diagnostic(
                .error, rule: .configuration, message(), file: path, range: range(at: offset, length: length),
                help: help()))
    }

    private static let keys = [
        "version", "rules", "enable", "disable", "include", "exclude", "ignore", "profile", "versions", "fail-level",
        "baseline", "sources", "define", "breaking", "generate", "check", "against", "production", "required-version",
    ]

    mutating func read(_ node: YAMLSubset.Node) {
        guard case .mapping(let members, let offset) = node else {
            report("expected a mapping at the top level", at: node.offset)
            return
        }
        if !members.contains(where: { $0.key == "version" }) {
            report(
                "the key “version” is missing", at: offset,
                help: "Begin the file with “version: 1”, so that later versions of modelc know how to read it.")
        }
        for (key, location, value) in members {
            switch key {
            case "version": readVersion(value)
            case "rules": readRules(value)
            case "enable":
                for rule in ruleList(value) { configuration.enabled.append(rule) }
            case "disable":
                for rule in ruleList(value) { configuration.severities.updateValue(nil, forKey: rule.id) }
            case "include": configuration.included = texts(value).map(PathPattern.init)
            case "exclude": configuration.excluded = texts(value).map(PathPattern.init)
            case "ignore": readIgnored(value)
            case "profile": configuration.profile = choice(value, key)
            case "versions": configuration.versions = choice(value, key)
            case "fail-level": configuration.failLevel = severity(value, allowsOff: false) ?? nil
            case "baseline": configuration.baseline = text(value)
            case "sources": configuration.sources = texts(value)
            case "define": configuration.definitions = texts(value)
            case "breaking": readBreaking(value)
            case "generate": readGeneration(value)
            case "check": readCheck(value)
            case "against": configuration.reference = text(value)
            case "production": configuration.productionSchema = text(value)
            case "required-version":
                configuration.requiredVersion = text(value).map { ($0, range(at: value.offset, length: $0.count)) }
            default:
                report(
                    "unknown key “\(YAMLText.shown(key))”", at: location, length: key.count,
                    help: Self.suggestion(for: key) ?? "The keys are \(Self.keys.joined(separator: ", ")).")
            }
        }
    }

    private static func suggestion(for key: String) -> String? {
        EditDistance.closest(to: key, among: keys, limit: 2).map { "Did you mean “\($0)”?" }
    }

    private mutating func readVersion(_ value: YAMLSubset.Node) {
        guard let text = text(value), text != "1" else { return }
        report(
            "this modelc reads version 1 of the configuration, not “\(YAMLText.shown(text))”", at: value.offset,
            length: text.count,
            help: "Write “version: 1”, or use a newer modelc.")
    }

    private mutating func readRules(_ value: YAMLSubset.Node) {
        guard case .mapping(let members, _) = value else {
            report(
                "expected a mapping of rule names to severities", at: value.offset,
                help: "Write “missing-inverse: error”.")
            return
        }
        for (name, location, node) in members {
            guard let rule = rule(name, at: location), let severity = severity(node, allowsOff: true) else { continue }
            configuration.severities.updateValue(severity, forKey: rule.id)
        }
    }

    private mutating func readIgnored(_ value: YAMLSubset.Node) {
        guard case .mapping(let members, _) = value else {
            report("expected a mapping of rule names to lists of paths", at: value.offset)
            return
        }
        for (name, location, node) in members {
            guard let rule = rule(name, at: location) else { continue }
            configuration.ignored[rule.id, default: []] += texts(node).map(PathPattern.init)
        }
    }

    private mutating func readBreaking(_ value: YAMLSubset.Node) {
        guard case .mapping(let members, _) = value else {
            report("expected a mapping", at: value.offset, help: "Write “strategy: stepwise”.")
            return
        }
        for (key, location, node) in members {
            guard key == "strategy" else {
                report(
                    "unknown key “\(YAMLText.shown(key))”", at: location, length: key.count,
                    help: "The only key of “breaking” is “strategy”.")
                continue
            }
            configuration.strategy = choice(node, key)
        }
    }

    private mutating func readCheck(_ value: YAMLSubset.Node) {
        guard case .mapping(let members, _) = value else {
            report("expected a mapping", at: value.offset, help: "Write “without: [format]”.")
            return
        }
        for (key, location, node) in members {
            guard key == "without" else {
                report(
                    "unknown key “\(YAMLText.shown(key))”", at: location, length: key.count,
                    help: "The only key of “check” is “without”.")
                continue
            }
            configuration.omittedChecks = Set(items(node).compactMap { choice($0, "without") })
        }
    }

    private mutating func readGeneration(_ value: YAMLSubset.Node) {
        guard case .mapping(let members, _) = value else {
            report("expected a mapping", at: value.offset, help: "Write “with: [raw, sets]”.")
            return
        }
        for (key, location, node) in members {
            let values = items(node).compactMap { item in
                text(item).map { (text: $0, range: range(at: item.offset, length: $0.count)) }
            }
            configuration.generation.append(
                LintConfiguration.GenerationEntry(
                    key: key, range: range(at: location, length: key.count), values: values))
        }
    }

    private func range(at offset: Int, length: Int) -> SourceRange {
        let start = lines.position(at: offset)
        return SourceRange(start: start, end: SourcePosition(line: start.line, column: start.column + length))
    }

    private mutating func ruleList(_ value: YAMLSubset.Node) -> [RuleDescription] {
        items(value).compactMap { item in text(item).flatMap { rule($0, at: item.offset) } }
    }

    private mutating func rule(_ name: String, at offset: Int) -> RuleDescription? {
        if let rule = RuleRegistry.description(named: name) {
            guard let commands = rule.commands, !rule.isConfigurable else { return rule }
            report(
                "“\(name)” is not a lint rule", at: offset, length: name.count,
                help: "Remove it; settings do not affect the findings of \(commands).")
            return nil
        }
        report(
            "unknown rule “\(YAMLText.shown(name))”", at: offset, length: name.count,
            help: RuleRegistry.suggestion(for: name).map { "Did you mean “\($0)”?" }
                ?? "“modelc rules” lists the rules.")
        return nil
    }

    private func items(_ value: YAMLSubset.Node) -> [YAMLSubset.Node] {
        if case .sequence(let items, _) = value { return items }
        return [value]
    }

    private mutating func texts(_ value: YAMLSubset.Node) -> [String] { items(value).compactMap { text($0) } }

    private mutating func text(_ value: YAMLSubset.Node) -> String? {
        if case .scalar(let text, _) = value, !text.isEmpty { return text }
        report("expected a string", at: value.offset)
        return nil
    }

    private mutating func choice<Value: RawRepresentable & CaseIterable>(
        _ value: YAMLSubset.Node, _ key: String
    ) -> Value? where Value.RawValue == String {
        guard let text = text(value) else { return nil }
        if let choice = Value(rawValue: text) { return choice }
        let all = Value.allCases.map(\.rawValue).joined(separator: ", ")
        report(
            "invalid value “\(YAMLText.shown(text))” for “\(key)”", at: value.offset, length: text.count,
            help: "The values are \(all).")
        return nil
    }

    /// Returns a severity; `.some(nil)` for `off`, `nil` for an invalid value.
    private mutating func severity(_ value: YAMLSubset.Node, allowsOff: Bool) -> Severity?? {
        guard let text = text(value) else { return nil }
        if let severity = Severity.allCases.first(where: { $0.word == text }) { return .some(severity) }
        if allowsOff, text == "off" { return .some(nil) }
        report(
            "invalid severity “\(YAMLText.shown(text))”", at: value.offset, length: text.count,
            help: allowsOff
                ? "The severities are error, warning, note and off." : "The severities are error, warning and note.")
        return nil
    }
}
