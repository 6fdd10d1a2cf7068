internal import CloudKitSchema
internal import Diagnostics
internal import ModelLint
internal import ModelSchema
internal import ModelSource

/// One run of `modelc cloudkit check`.
struct CloudKitCheckSession {
    let model: CloudKitModel
    let production: SchemaDocument
    private let settings: RunSettings
    private var suppressions: Suppressions

    private(set) var diagnostics: [Diagnostic]
    /// The number of findings that suppressions hide.
    private(set) var hiddenCount = 0
    /// The record types and fields that must be deployed, and the parts that only some features need.
    private var deployments: [(name: String, isNeeded: Bool)] = []
    private var impossibleCount = 0

    init(model: CloudKitModel, production: SchemaDocument, settings: RunSettings) {
        self.model = model
        self.production = production
        self.settings = settings
        suppressions = Suppressions(model.document.model)
        diagnostics = production.diagnostics
        // The comparison with the schema shows whether a rename is harmful.
        diagnostics += model.findings.filter { $0.rule != .cloudkitRename }
    }

    /// Compares the model with the schema.
    mutating func check(_ options: SchemaOptions, checksIndexes: Bool) {
        let findings = DeploymentCheck.findings(
            for: model.mapping, in: production.schema, options, checksIndexes: checksIndexes)
        for finding in findings { add(finding) }
    }

    private mutating func add(_ finding: DeploymentFinding) {
        // A compiled model does not say which attributes are encrypted.
        if !model.hasSource, finding.finding.attribute == DeploymentCheck.encryptionAttribute { return }
        var finding = finding
        switch finding.remedy {
        case .deploy(let name): deployments.append((name, finding.finding.rule == .cloudkitNotDeployed))
        case .impossible: impossibleCount += 1
        case .none: break
        }
        if let chosen = settings.selection.severities[finding.finding.rule] {
            guard let severity = chosen else { return }
            finding.finding.severity = severity
        }
        let diagnostic = finding.diagnostic(model, production)
        if suppressions.hides(diagnostic.rule, at: finding.components) || settings.isIgnored(diagnostic) {
            hiddenCount += 1
            return
        }
        diagnostics.append(diagnostic)
    }

    /// Returns the human-readable summary.
    func summary(hiddenCount: Int) -> String {
        var text = "modelc: compared “\(model.document.model.name)” of \(model.set.path) with \(production.path)\n"
        let needed = deployments.filter(\.isNeeded).map(\.name)
        let others = deployments.filter { !$0.isNeeded }.map(\.name)
        if needed.isEmpty, impossibleCount == 0 {
            text += "modelc: production has every record type and field that the model needs\n"
        }
        if !needed.isEmpty { text += "modelc: must be deployed: \(needed.joined(separator: ", "))\n" }
        if !others.isEmpty { text += "modelc: should be deployed: \(others.joined(separator: ", "))\n" }
        if impossibleCount > 0 {
            text += "modelc: \(counted(impossibleCount, "change")) can never be deployed\n"
        }
        if hiddenCount > 0 { text += "modelc: \(hiddenCount) hidden by suppressions or the baseline\n" }
        return text
    }
}
