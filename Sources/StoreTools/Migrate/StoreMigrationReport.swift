internal import CompiledMapping
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
    private let statements: [String]
    /// Whether the store is not changed.
    var isDryRun = false
    /// The result of the migration; `nil` before it.
    var result: Result?

    init(_ input: StoreMigrationInput, statements: [String]) {
        self.input = input
        self.statements = statements
    }

    // MARK: For people

    /// The changes, and the SQL.
    var plan: String {
        var lines = ["\(input.storePath): “\(input.sourceName)” → “\(input.destination.name)”"]
        if !input.isNeeded {
            lines.append("  no migration; all version hashes are equal")
        } else if let mapping = input.mapping {
            lines.append("  mapping model “\(mapping.path)”")
            lines += mapping.compiled.entityMappings.map { "    \(Self.phrase($0))" }
            for name in mapping.unmappedEntities {
                lines.append("  note: it has no mapping to “\(name)”, so the objects of “\(name)” are lost")
            }
        } else {
            lines += input.changes.steps.map { "  \($0.text)" }
            lines += input.changes.risks.map { "  note: “\($0.element)” \($0.reason)" }
            if !statements.isEmpty { lines += ["", "SQL:"] + statements.map { "  \($0);" } }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The result on one line.
    var summary: String {
        guard input.isNeeded else { return "“\(input.storePath)” has the version “\(input.destination.name)” already" }
        guard let result else { return "nothing was changed (--dry-run)" }
        let seconds = String(format: "%.2f", result.seconds)
        return "“\(input.storePath)” migrated to “\(input.destination.name)”: \(result.rows) rows in \(seconds) s, "
            + "\(result.rate) rows per second" + (result.backup.map { "; the old store is “\($0)”" } ?? "")
    }

    private static func phrase(_ mapping: CompiledMapping.EntityMapping) -> String {
        let source = mapping.sourceEntityName.map { "“\($0)” → " } ?? ""
        let policy = mapping.policyClassName.map { ", policy “\($0)”" } ?? ""
        return "\(source)“\(mapping.destinationEntityName ?? "nothing")”: \(mapping.type)\(policy)"
    }

    // MARK: For programs

    var json: JSONValue {
        .compact([
            ("store", .string(input.storePath)), ("from", .string(input.sourceName)),
            ("to", .string(input.destination.name)), ("needed", .bool(input.isNeeded)),
            ("dryRun", .bool(isDryRun)), ("mappingModel", .optional(input.mapping?.path)),
            ("changes", Self.list(input.mapping == nil ? input.changes.steps.map(\.text) : [])),
            (
                "risks",
                Self.list(input.mapping == nil ? input.changes.risks.map { "“\($0.element)” \($0.reason)" } : [])
            ),
            ("sql", Self.list(statements)),
            ("rows", result.map { .integer($0.rows) } ?? .null),
            ("milliseconds", result.map { .integer(Int(($0.seconds * 1000).rounded())) } ?? .null),
            ("rowsPerSecond", result.map { .integer($0.rate) } ?? .null),
            ("backup", .optional(result?.backup)),
        ])
    }

    private static func list(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
}
