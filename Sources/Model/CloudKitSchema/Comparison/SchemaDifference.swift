/// The differences between two schemas, by name. Order and layout are ignored.
package struct SchemaDifference: Hashable, Sendable {
    /// A change of a named element.
    package enum Change<Value: Hashable & Sendable>: Hashable, Sendable {
        case added(Value)
        case removed(Value)
        case changed(from: Value, to: Value)
    }

    /// The differences within a record type.
    package struct TypeChange: Hashable, Sendable {
        /// The name of the record type.
        package var name: String
        /// Fields, by name.
        package var fields: [Change<RecordField>]
        /// Grants, one for each role.
        package var grants: [Change<Grant>]
    }

    package var roles: [Change<Role>]
    /// Record types that only one schema has.
    package var recordTypes: [Change<RecordType>]
    /// Record types that both schemas have and that differ.
    package var changedTypes: [TypeChange]
    /// Statements that are not part of the language.
    package var unrecognized: [Change<String>]

    /// Compares two schemas.
    package init(from old: Schema, to new: Schema) {
        let (old, new) = (old.inExportOrder, new.inExportOrder)
        roles = Self.changes(old.roles, new: new.roles, name: \.name)
        unrecognized = Self.changes(old.unrecognized, new: new.unrecognized, name: \.self)
        recordTypes = []
        changedTypes = []
        for change in Self.changes(old.recordTypes, new: new.recordTypes, name: \.name) {
            guard case .changed(let first, let second) = change else {
                recordTypes.append(change)
                continue
            }
            let type = TypeChange(
                name: second.name, fields: Self.changes(first.fields, new: second.fields, name: \.name),
                grants: Self.changes(first.grants, new: second.grants, name: \.role))
            changedTypes.append(type)
        }
    }

    /// Whether nothing differs.
    package var isEmpty: Bool {
        roles.isEmpty && recordTypes.isEmpty && changedTypes.isEmpty && unrecognized.isEmpty
    }

    /// The changes that production rejects (Documentation/Formats/CloudKitSchema.md, 4), as names of record types and
    /// fields: those that are removed, have another type, or are encrypted on one side only.
    package var refused: [String] {
        var names: [String] = []
        for change in recordTypes {
            if case .removed(let type) = change { names.append(type.name) }
        }
        for type in changedTypes {
            for change in type.fields where Self.isRefused(change) { names.append("\(type.name).\(change.name)") }
        }
        return names
    }

    /// The fields that lose an index. Reports differ on whether production accepts that.
    package var fieldsThatLoseIndexes: [String] {
        changedTypes.flatMap { type in
            type.fields.compactMap { change in
                guard case .changed(let old, let new) = change, !old.options.isSubset(of: new.options) else {
                    return nil
                }
                return "\(type.name).\(new.name)"
            }
        }
    }

    /// Returns whether production rejects a change of a field.
    package static func isRefused(_ change: Change<RecordField>) -> Bool {
        switch change {
        case .added: false
        // System fields may be omitted.
        case .removed(let field): RecordField.systemType(of: field.name) == nil
        case .changed(let old, let new): !old.type.canBecome(new.type)
        }
    }

    private static func changes<Value: Hashable & Sendable>(
        _ old: [Value], new: [Value], name: (Value) -> String
    ) -> [Change<Value>] {
        let oldByName = Dictionary(old.map { (name($0), $0) }) { first, _ in first }
        let newByName = Dictionary(new.map { (name($0), $0) }) { first, _ in first }
        return Set(oldByName.keys).union(newByName.keys).sorted(by: SchemaName.isOrdered).compactMap { key in
            switch (oldByName[key], newByName[key]) {
            case (let old?, let new?): old == new ? nil : .changed(from: old, to: new)
            case (let old?, nil): .removed(old)
            case (nil, let new?): .added(new)
            case (nil, nil): nil
            }
        }
    }
}

extension SchemaDifference.Change where Value == RecordField {
    /// The name of the field.
    package var name: String {
        switch self {
        case .added(let field), .removed(let field), .changed(_, let field): field.name
        }
    }
}

extension FieldType {
    /// Returns whether a field of this type can change to another type. Only an unsettled number can, to the type that
    /// it prefers.
    package func canBecome(_ other: FieldType) -> Bool {
        if self == other { return true }
        guard isList == other.isList, isEncrypted == other.isEncrypted else { return false }
        return value == .number(preferred: nil) && other.isPreferredNumber
    }

    private var isPreferredNumber: Bool {
        if case .number(preferred: .some) = value { return true }
        return false
    }
}
