internal import Diagnostics

/// Converts a file's nodes to a configuration.
struct ConfigurationReader {
    let path: String
    let lines: LineIndex
    let rules: RuleCatalog
    var configuration = ProjectSettings()
    var problems: [Diagnostic] = []

    /// The maximum number of problems that are reported. A file with more is not a settings file.
    private static let problemLimit = 100

    init(path: String, lines: LineIndex, rules: RuleCatalog) {
        self.path = path
        self.lines = lines
        self.rules = rules
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
        read(members, of: nil, Self.declarations)
    }

    /// Reads the value of a key whose value is a mapping of keys.
    mutating func readMembers(_ value: YAMLSubset.Node, of owner: String, _ declarations: [Declaration]) {
        guard case .mapping(let members, _) = value else {
            let first = declarations.first.map { "Write “\($0.key.name): \($0.key.example)”." }
            report("expected a mapping", at: value.offset, help: first)
            return
        }
        read(members, of: owner, declarations)
    }

    private mutating func read(
        _ members: [(key: String, offset: Int, value: YAMLSubset.Node)], of owner: String?,
        _ declarations: [Declaration]
    ) {
        for (key, offset, value) in members {
            if let declaration = declarations.first(where: { $0.key.name == key }) {
                declaration.read(&self, value)
                continue
            }
            let names = declarations.map(\.key.name)
            let suggestion = EditDistance.closest(to: key, among: names, limit: 2).map { "Did you mean “\($0)”?" }
            let all =
                owner.map { "The only key of “\($0)” is “\(names.joined(separator: ", "))”." }
                ?? "The keys are \(names.joined(separator: ", "))."
            report(
                "unknown key “\(YAMLText.shown(key))”", at: offset, length: key.count, help: suggestion ?? all)
        }
    }

    mutating func readVersion(_ value: YAMLSubset.Node) {
        guard let text = text(value), text != "1" else { return }
        report(
            "this modelc reads version 1 of the configuration, not “\(YAMLText.shown(text))”", at: value.offset,
            length: text.count,
            help: "Write “version: 1”, or use a newer modelc.")
    }

    mutating func readRules(_ value: YAMLSubset.Node) {
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

    mutating func readIgnored(_ value: YAMLSubset.Node) {
        guard case .mapping(let members, _) = value else {
            report("expected a mapping of rule names to lists of paths", at: value.offset)
            return
        }
        for (name, location, node) in members {
            guard let rule = rule(name, at: location) else { continue }
            configuration.ignored[rule.id, default: []] += texts(node).map(PathPattern.init)
        }
    }

    mutating func readGeneration(_ value: YAMLSubset.Node) {
        guard case .mapping(let members, _) = value else {
            report("expected a mapping", at: value.offset, help: "Write “with: [raw, sets]”.")
            return
        }
        for (key, location, node) in members {
            let values = items(node).compactMap { item in
                text(item).map { (text: $0, range: range(at: item.offset, length: $0.count)) }
            }
            configuration.generation.append(
                ProjectSettings.GenerationEntry(
                    key: key, range: range(at: location, length: key.count), values: values))
        }
    }

    func range(at offset: Int, length: Int) -> SourceRange {
        let start = lines.position(at: offset)
        return SourceRange(start: start, end: SourcePosition(line: start.line, column: start.column + length))
    }

    mutating func ruleList(_ value: YAMLSubset.Node) -> [RuleDescription] {
        items(value).compactMap { item in text(item).flatMap { rule($0, at: item.offset) } }
    }

    private mutating func rule(_ name: String, at offset: Int) -> RuleDescription? {
        if let rule = rules.description(named: name) {
            guard let commands = rule.commands, !rules.isConfigurable(rule) else { return rule }
            report(
                "“\(name)” is not a lint rule", at: offset, length: name.count,
                help: "Remove it; settings do not affect the findings of \(commands).")
            return nil
        }
        let suggestion = rules.suggestion(for: name).map { "Did you mean “\($0)”?" }
        report(
            "unknown rule “\(YAMLText.shown(name))”", at: offset, length: name.count,
            help: suggestion ?? "“modelc rules” lists the rules.")
        return nil
    }

    func items(_ value: YAMLSubset.Node) -> [YAMLSubset.Node] {
        if case .sequence(let items, _) = value { return items }
        return [value]
    }

    mutating func texts(_ value: YAMLSubset.Node) -> [String] { items(value).compactMap { text($0) } }

    mutating func text(_ value: YAMLSubset.Node) -> String? {
        if case .scalar(let text, _) = value, !text.isEmpty { return text }
        report("expected a string", at: value.offset)
        return nil
    }

    mutating func choice<Value: RawRepresentable & CaseIterable>(
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
    mutating func severity(_ value: YAMLSubset.Node, allowsOff: Bool) -> Severity?? {
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
