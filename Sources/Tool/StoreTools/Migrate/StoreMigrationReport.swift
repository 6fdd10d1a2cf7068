internal import CompiledMapping
internal import CoreData
internal import Diagnostics
internal import Foundation
internal import ModelMigration
internal import ModelcDriver

/// The changes of a migration, and its result.
struct StoreMigrationReport {
    /// A finished migration.
    struct Result {
        /// The number of rows in the store before the migration.
        var rows: Int
        var seconds: Double
        /// The path of the copy.
        var backup: String?

        /// Rows per second.
        var rate: Int { seconds > 0 ? Int(Double(rows) / seconds) : 0 }
    }

    let input: StoreMigrationInput
    private let previews: [StoreMigrator.Preview]
    /// Whether the store is not changed.
    var isDryRun = false
    /// The result of the migration; `nil` before it.
    var result: Result?

    /// - Parameter previews: What each step of the migration does.
    init(_ input: StoreMigrationInput, _ previews: [StoreMigrator.Preview]) {
        self.input = input
        self.previews = previews
    }

    /// What the migration drops, such as `3 values of “Book.cover”`.
    var losses: [String] { previews.flatMap(\.losses).map(Self.text) }

    static func text(_ loss: StoreMigrator.Loss) -> String {
        let word = loss.property == nil ? "row" : "value"
        let element = loss.entity + (loss.property.map { ".\($0)" } ?? "")
        return "\(loss.count) \(word)\(loss.count == 1 ? "" : "s") of “\(element)”"
    }

    // MARK: For people

    /// The changes, and the SQL.
    var plan: String {
        var lines = ["\(input.storePath): “\(input.sourceName)” → “\(input.destination.name)”"]
        if !input.isNeeded { lines.append("  no migration; all version hashes are equal") }
        for (step, preview) in zip(input.steps, previews) {
            if input.steps.count > 1 { lines.append("“\(step.sourceName)” → “\(step.destination.name)”:") }
            lines += Self.lines(step, preview)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func lines(_ step: StoreMigrationInput.Step, _ preview: StoreMigrator.Preview) -> [String] {
        var lines: [String] = []
        if let mapping = step.mapping {
            lines.append("  mapping model “\(mapping.path)”")
            lines += mapping.compiled.entityMappings.map { "    \(phrase($0))" }
            for name in mapping.unmappedEntities {
                lines.append("  note: it has no mapping to “\(name)”, so the objects of “\(name)” are lost")
            }
            if preview.droppedTransactions > 0 {
                lines.append("  note: the history is dropped: transactions: \(preview.droppedTransactions)")
            }
        } else {
            lines += step.changes.steps.map { "  \($0.text)" }
            lines += step.changes.risks.map { "  note: “\($0.element)” \($0.reason)" }
            lines += preview.losses.map { "  drops \(text($0))" }
            if !preview.statements.isEmpty { lines += ["", "SQL:"] + preview.statements.map { "  \($0);" } }
        }
        return lines
    }

    /// The result on one line.
    var summary: String {
        guard input.isNeeded else { return "“\(input.storePath)” has the version “\(input.destination.name)” already" }
        guard let result else { return "nothing was changed" + (isDryRun ? " (--dry-run)" : "") }
        let seconds = String(format: "%.2f", result.seconds)
        return "“\(input.storePath)” migrated to “\(input.destination.name)”: \(counted(result.rows, "row")) in "
            + "\(seconds) s, \(result.rate) rows per second"
            + (result.backup.map { "; the old store is “\($0)”" } ?? "")
    }

    private static func phrase(_ mapping: CompiledMapping.EntityMapping) -> String {
        let source = mapping.sourceEntityName.map { "“\($0)” → " } ?? ""
        let policy = mapping.policyClassName.map { ", policy “\($0)”" } ?? ""
        return "\(source)“\(mapping.destinationEntityName ?? "nothing")”: \(mapping.type)\(policy)"
    }

    // MARK: For programs

    var json: JSONValue {
        let inferred = input.steps.filter { $0.mapping == nil }
        return .compact([
            ("store", .string(input.storePath)), ("from", .string(input.sourceName)),
            ("to", .string(input.destination.name)), ("needed", .bool(input.isNeeded)),
            ("dryRun", .bool(isDryRun)),
            ("mappingModel", .optional(input.steps.lazy.compactMap(\.mapping?.path).first)),
            ("steps", Self.list(input.steps.count > 1 ? input.steps.map(\.destination.name) : [])),
            ("changes", Self.list(inferred.flatMap { $0.changes.steps.map(\.text) })),
            ("risks", Self.list(inferred.flatMap { $0.changes.risks.map { "“\($0.element)” \($0.reason)" } })),
            (
                "losses",
                .array(
                    previews.flatMap(\.losses).map { loss in
                        .compact([
                            ("entity", .string(loss.entity)), ("property", .optional(loss.property)),
                            ("count", .integer(loss.count)),
                        ])
                    })
            ),
            ("droppedTransactions", .integer(previews.reduce(0) { $0 + $1.droppedTransactions })),
            ("sql", Self.list(previews.flatMap(\.statements))),
            ("rows", result.map { .integer($0.rows) } ?? .null),
            ("milliseconds", result.map { .integer(Int(($0.seconds * 1000).rounded())) } ?? .null),
            ("rowsPerSecond", result.map { .integer($0.rate) } ?? .null),
            ("backup", .optional(result?.backup)),
        ])
    }

    private static func list(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
}
