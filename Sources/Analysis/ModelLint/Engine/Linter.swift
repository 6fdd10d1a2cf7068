package import Diagnostics
internal import ModelSchema
internal import ModelSource

/// Checks versions of models against rules.
package struct Linter: Sendable {
    private let selection: RuleSelection

    /// The result of checking a version.
    package struct Result: Sendable {
        /// The findings, in the order of the file.
        package var diagnostics: [Diagnostic]
        /// The number of further findings that suppressions hide.
        package var suppressedCount: Int
    }

    /// Creates a linter with the selected rules.
    package init(_ selection: RuleSelection) {
        self.selection = selection
    }

    /// Checks a version.
    ///
    /// A file that could be read only in part is checked only for errors in its text and structure: elements that other
    /// rules miss may be in the unreadable part.
    package func lint(_ context: LintContext) -> Result {
        var run = LintRun(context, selection)
        for diagnostic in context.source.diagnostics { run.add(diagnostic) }
        // What a version lacks to be compiled is reported for all versions, warnings of the compiler only for the
        // current one.
        for finding in context.source.findings(at: .compiles)
        where run.isFullyChecked || finding.severity == .error {
            guard !context.source.isSwiftData || SwiftDataApplicability.includes(finding.rule) else { continue }
            run.add(finding)
        }
        if context.source.isSwiftData {
            run.addSwiftDataFindings()
            run.addRules()
        } else if !context.source.isIncomplete {
            run.addRules()
        }
        return Result(diagnostics: run.diagnostics.sortedByLocation(), suppressedCount: run.suppressedCount)
    }

    /// Returns findings that do not belong to a version, such as those about a bundle, with the selected severities.
    /// Findings of rules that are off are left out.
    package func applySeverities(to diagnostics: [Diagnostic]) -> [Diagnostic] {
        diagnostics.compactMap { diagnostic in
            guard let rule = RuleRegistry.description(of: diagnostic.rule) else { return diagnostic }
            guard let severity = selection.severity(of: rule) else { return nil }
            var result = diagnostic
            if severity != rule.defaultSeverity { result.severity = severity }
            return result
        }
    }
}

/// The state of checking one version.
private struct LintRun {
    let context: LintContext
    let selection: RuleSelection
    var diagnostics: [Diagnostic] = []
    var suppressedCount = 0
    private var suppressions: Suppressions
    /// Created at the first finding, so that a clean model costs nothing.
    private var paths: ElementPaths?

    init(_ context: LintContext, _ selection: RuleSelection) {
        self.context = context
        self.selection = selection
        suppressions = Suppressions(context.model)
    }

    /// Whether the rules that only current versions are checked against apply.
    var isFullyChecked: Bool { context.isCurrent || selection.checksOldVersionsFully }

    /// Adds a finding of the reader, which already has its location.
    mutating func add(_ diagnostic: Diagnostic) {
        var result = diagnostic
        if let severity = severity(of: diagnostic.rule, own: diagnostic.severity) {
            result.severity = severity
        } else if selection.only == nil || diagnostic.severity < .error {
            return
        }
        // Errors of an unreadable file are reported whichever rules were selected: “no findings” would be misleading.
        result.element = element(at: nil)
        diagnostics.append(result)
    }

    /// Adds a finding of the schema.
    mutating func add(_ finding: ModelFinding) {
        guard let severity = severity(of: finding.rule, own: finding.severity) else { return }
        add(
            context.source.diagnostic(for: finding), at: finding.origin, severity,
            inspectorField: finding.inspectorField)
    }

    mutating func add(_ finding: RuleFinding, rule: RuleDescription, severity: Severity) {
        let source = context.source
        let location = source.location(of: finding.origin, attribute: finding.attribute)
        var diagnostic = Diagnostic(
            severity, rule: rule.id, finding.message, file: location.file, range: location.range, why: finding.why,
            help: finding.help)
        diagnostic.related = finding.related.map { related in
            let location = source.location(of: related.origin, attribute: related.attribute)
            return RelatedLocation(related.message, file: location.file, range: location.range)
        }
        if let fix = finding.fix {
            let origin = fix.element ?? finding.origin
            let edits = fix.attributes.compactMap { name, value in source.edit(name, to: value, of: origin) }
            if edits.count == fix.attributes.count {
                diagnostic.fixes = [FixIt(fix.title, safety: fix.safety, edits: edits)]
            }
        }
        add(diagnostic, at: finding.origin, severity, inspectorField: finding.inspectorField)
    }

    /// Adds the findings of the reader for SwiftData.
    mutating func addSwiftDataFindings() {
        // A version that is not current is checked only for problems that its release depends on.
        let ofOldVersions: Set<RuleID> = [
            .swiftDataLiveDeclaration, .swiftDataEqualVersions, .swiftDataRepeatedIdentifier,
        ]
        for (rule, finding) in context.source.findings {
            guard isFullyChecked || ofOldVersions.contains(rule),
                let rule = RuleRegistry.description(of: rule), let severity = selection.severity(of: rule)
            else { continue }
            add(finding, rule: rule, severity: severity)
        }
    }

    /// Adds the findings of the rules that apply to the version, and those about its suppressions.
    mutating func addRules() {
        for rule in RuleRegistry.rules
        where !context.source.isSwiftData || SwiftDataApplicability.includes(rule.description) {
            guard isFullyChecked || !rule.isForCurrentVersionOnly,
                let severity = selection.severity(of: rule.description)
            else { continue }
            rule.check(context) { add($0, rule: rule.description, severity: severity) }
        }
        addSuppressionFindings()
    }

    private mutating func addSuppressionFindings() {
        guard let rule = RuleRegistry.description(of: .unusedSuppression),
            let severity = selection.severity(of: rule)
        else { return }
        let findings = suppressions.findings { rule in
            // Only another command knows whether an entry for one of its rules is needed.
            guard isFullyChecked, let rule = RuleRegistry.description(of: rule), rule.commands == nil else {
                return false
            }
            return selection.severity(of: rule) != nil
        }
        for finding in findings { add(finding, rule: rule, severity: severity) }
    }

    private mutating func add(
        _ diagnostic: Diagnostic, at origin: ElementOrigin?, _ severity: Severity, inspectorField: String? = nil
    ) {
        let element = element(at: origin)
        if suppressions.hides(diagnostic.rule, at: element.components) {
            suppressedCount += 1
            return
        }
        var result = diagnostic
        result.severity = severity
        result.element = element
        if let inspectorField, !context.source.isSwiftData {
            let names = element.components.isEmpty ? [element.version ?? context.modelName] : element.components
            result.inXcode = (names + ["Data Model inspector", inspectorField]).joined(separator: " ▸ ")
        }
        diagnostics.append(result)
    }

    /// Returns the severity of a finding that has its own severity; `nil` if its rule is off.
    private func severity(of rule: RuleID, own: Severity) -> Severity? {
        guard let rule = RuleRegistry.description(of: rule) else { return own }
        guard let chosen = selection.severity(of: rule) else { return nil }
        return chosen == rule.defaultSeverity ? own : chosen
    }

    private mutating func element(at origin: ElementOrigin?) -> ElementPath {
        guard let origin else {
            return ElementPath(model: context.modelName, version: context.model.name, components: [], kind: "model")
        }
        let paths = self.paths ?? ElementPaths(context.model)
        self.paths = paths
        let location = paths.location(of: origin)
        return ElementPath(
            model: context.modelName, version: context.model.name, components: location.components, kind: location.kind)
    }
}
