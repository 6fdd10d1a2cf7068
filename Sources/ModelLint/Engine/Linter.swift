package import Diagnostics
internal import ModelSchema
internal import ModelSource

/// Asks rules about versions of models.
package struct Linter: Sendable {
    private let selection: RuleSelection

    /// What was found in a version.
    package struct Result: Sendable {
        /// The findings, in the order of the file.
        package var diagnostics: [Diagnostic]
        /// How many more are hidden by suppressions.
        package var suppressedCount: Int
    }

    /// Creates a linter of some rules.
    package init(_ selection: RuleSelection) {
        self.selection = selection
    }

    /// Looks at a version.
    ///
    /// A file that could not be read as a whole is only asked what its text and its structure say: what other rules miss may
    /// stand in the part that is lost.
    package func lint(_ context: LintContext) -> Result {
        var run = LintRun(context, selection)
        for diagnostic in context.source.diagnostics { run.add(diagnostic) }
        for finding in context.source.structuralFindings() { run.add(finding) }
        if context.source.isSwiftData {
            run.addSwiftData()
        } else if !context.source.isIncomplete {
            if context.isCurrent || selection.checksOldVersionsFully {
                for finding in context.model.compilerFindings() { run.add(finding) }
            } else {
                for finding in context.model.compilerFindings() where finding.severity == .error { run.add(finding) }
            }
            run.addDerivations()
            for rule in RuleRegistry.rules {
                guard context.isCurrent || selection.checksOldVersionsFully || !rule.isForCurrentVersionOnly,
                    let severity = selection.severity(of: rule.description)
                else { continue }
                rule.check(context) { run.add($0, rule.description, severity) }
            }
            run.addSuppressionFindings()
        }
        return Result(diagnostics: run.diagnostics.sortedByPlace(), suppressedCount: run.suppressedCount)
    }

    /// The severities that findings get which do not belong to a version, such as those of a bundle; what is switched off
    /// is left out.
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

/// The findings of one version while they come in.
private struct LintRun {
    let context: LintContext
    let selection: RuleSelection
    var diagnostics: [Diagnostic] = []
    var suppressedCount = 0
    private var suppressions: Suppressions
    /// Made at the first finding: a clean model pays nothing.
    private var paths: ElementPaths?

    init(_ context: LintContext, _ selection: RuleSelection) {
        self.context = context
        self.selection = selection
        suppressions = Suppressions(context.model)
    }

    /// A finding of the reader, which has its place already.
    mutating func add(_ diagnostic: Diagnostic) {
        var result = diagnostic
        if let severity = severity(of: diagnostic.rule, own: diagnostic.severity) {
            result.severity = severity
        } else if selection.only == nil || diagnostic.severity < .error {
            return
        }
        // Of a file that could not be read, “nothing found” would be wrong, whichever rules were asked for.
        result.element = element(at: nil)
        diagnostics.append(result)
    }

    /// A finding of the schema.
    mutating func add(_ finding: ModelFinding) {
        guard let severity = severity(of: finding.rule, own: finding.severity) else { return }
        add(context.source.diagnostic(for: finding), at: finding.origin, severity)
    }

    /// A finding of a rule.
    mutating func add(_ finding: RuleFinding, _ rule: RuleDescription, _ severity: Severity) {
        let source = context.source
        let place = source.place(of: finding.origin, attribute: finding.attribute)
        var diagnostic = Diagnostic(
            severity, rule: rule.id, finding.message, file: place.file, range: place.range, why: finding.why,
            help: finding.help)
        diagnostic.related = finding.related.map { related in
            let place = source.place(of: related.origin, attribute: related.attribute)
            return RelatedPlace(related.message, file: place.file, range: place.range)
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

    /// What the reader and the rules for SwiftData find.
    mutating func addSwiftData() {
        for (rule, finding) in context.source.findings {
            // A version that is not current is only asked what its release depends on.
            guard context.isCurrent || selection.checksOldVersionsFully || rule == .swiftDataLiveDeclaration,
                let rule = RuleRegistry.description(of: rule), let severity = selection.severity(of: rule)
            else { continue }
            add(finding, rule, severity)
        }
        for rule in RuleRegistry.rules where SwiftDataApplicability.includes(rule.description) {
            guard context.isCurrent || selection.checksOldVersionsFully || !rule.isForCurrentVersionOnly,
                let severity = selection.severity(of: rule.description)
            else { continue }
            rule.check(context) { add($0, rule.description, severity) }
        }
        addSuppressionFindings()
    }

    /// Derivations that cannot be read have no version hash; the schema finds them when it computes one.
    mutating func addDerivations() {
        guard context.entities.contains(where: { $0.attributes.contains(where: \.isDerived) }) else { return }
        for finding in context.model.versionHashes().findings where finding.rule == .invalidDerivation {
            add(finding)
        }
    }

    mutating func addSuppressionFindings() {
        guard let rule = RuleRegistry.description(of: .unusedSuppression),
            let severity = selection.severity(of: rule)
        else { return }
        let isFullyChecked = context.isCurrent || selection.checksOldVersionsFully
        let findings = suppressions.findings { rule in
            // Whether an entry for a rule of another command is needed, only that command knows.
            guard isFullyChecked, let rule = RuleRegistry.description(of: rule), rule.commands == nil else {
                return false
            }
            return selection.severity(of: rule) != nil
        }
        for finding in findings { add(finding, rule, severity) }
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

    /// How much a finding matters that comes with its own severity; nil when its rule is off.
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
        let place = paths.place(of: origin)
        return ElementPath(
            model: context.modelName, version: context.model.name, components: place.components, kind: place.kind)
    }
}
