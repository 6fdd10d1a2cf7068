internal import CloudKitSchema

/// The difference between two schemas as human-readable text.
struct SchemaDifferenceText {
    private var lines: [String]

    init(difference: SchemaDifference, oldPath: String, newPath: String) {
        lines = ["--- \(oldPath)", "+++ \(newPath)", ""]
        if difference.isEmpty {
            lines.append("The schemas are equal.")
            return
        }
        for change in difference.roles { add(change, indentation: "") { "role \($0.name)" } }
        for change in difference.recordTypes {
            add(change, indentation: "") { "record type \($0.name)" }
            guard case .added(let type) = change else { continue }
            for field in type.fields where RecordField.systemType(of: field.name) == nil {
                lines.append("    + \(Self.text(field))")
            }
        }
        for type in difference.changedTypes {
            lines.append("~ record type \(type.name)")
            for change in type.fields { add(change, indentation: "    ", text: Self.text) }
            for change in type.grants { add(change, indentation: "    ", text: SchemaPrinter.text) }
        }
        for change in difference.unrecognized { add(change, indentation: "") { $0 } }
        let refused = difference.refused
        let loseIndexes = difference.fieldsThatLoseIndexes
        lines.append("")
        if !loseIndexes.isEmpty {
            lines.append("Production may refuse that an index is removed from \(loseIndexes.joined(separator: ", ")).")
        }
        if refused.isEmpty, !loseIndexes.isEmpty { return }
        lines += [
            refused.isEmpty
                ? "Production accepts the change: it only adds."
                : "Production does not accept the change of \(refused.joined(separator: ", ")): record types and fields "
                    + "are never removed or changed."
        ]
    }

    /// The text, ending in a line feed.
    var text: String { lines.joined(separator: "\n") + "\n" }

    private mutating func add<Value>(
        _ change: SchemaDifference.Change<Value>, indentation: String, text: (Value) -> String
    ) {
        switch change {
        case .added(let value): lines.append("\(indentation)+ \(text(value))")
        case .removed(let value): lines.append("\(indentation)- \(text(value))")
        case .changed(let old, let new): lines.append("\(indentation)~ \(text(old)) → \(text(new))")
        }
    }

    private static func text(_ field: RecordField) -> String { "\(field.name) \(SchemaPrinter.definition(of: field))" }
}
