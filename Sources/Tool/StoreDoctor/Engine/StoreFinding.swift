internal import CoreData
package import Diagnostics
internal import ModelLint

/// A fault in a store, in terms of its model.
package struct StoreFinding: Sendable {
    package var rule: RuleID
    package var severity: Severity
    /// The affected entity; `nil` if the finding is about the file.
    package var entity: String?
    /// The affected property; `nil` if the finding is about an entity.
    package var property: String?
    /// The problem, in one sentence without a period.
    package var message: String
    package var rows: AffectedRows
    /// The options of `modelc store repair` without which the rows are not repaired.
    var repairOptions: [String] = []

    /// Creates a finding with the severity of its rule, or another.
    init(
        _ rule: RuleID, entity: String? = nil, property: String? = nil, _ message: String,
        rows: AffectedRows = AffectedRows(), severity: Severity? = nil
    ) {
        self.rule = rule
        self.severity = severity ?? RuleRegistry.description(of: rule)?.defaultSeverity ?? .warning
        self.entity = entity
        self.property = property
        self.message = message
        self.rows = rows
    }

    /// Returns the finding for reporters.
    ///
    /// - Parameters:
    ///   - path: The path of the store, as the user named it.
    ///   - word: The path as a word of a shell command.
    package func diagnostic(path: String, word: String) -> Diagnostic {
        var diagnostic = Diagnostic(severity, rule: rule, message, file: path, range: .fileStart)
        diagnostic.help = RuleRegistry.description(of: rule)?.remedy
        if rows.repair != nil {
            let options = ([""] + repairOptions).joined(separator: " ")
            diagnostic.help? += " `modelc store repair \(word)\(options) --output FIXED` repairs it."
        }
        diagnostic.rows = rows
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let location = [entity ?? rows.table, property ?? (entity == nil ? rows.column : nil)].compactMap { $0 }
        let kind = property != nil ? "property" : entity != nil ? "entity" : rows.table != nil ? "table" : "store"
        diagnostic.element = ElementPath(model: name, components: location, kind: kind)
        return diagnostic
    }
}
