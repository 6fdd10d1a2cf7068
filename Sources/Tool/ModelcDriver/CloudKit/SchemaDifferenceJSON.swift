internal import CloudKitSchema
internal import Diagnostics

/// The difference between two schemas as JSON.
enum SchemaDifferenceJSON {
    static func value(_ difference: SchemaDifference, oldPath: String, newPath: String) -> JSONValue {
        .object([
            ("old", .string(oldPath)), ("new", .string(newPath)), ("equal", .bool(difference.isEmpty)),
            ("roles", .array(difference.roles.map { value($0, name: \.name) { _ in [] } })),
            (
                "recordTypes",
                .array(
                    difference.recordTypes.map { change in
                        value(change, name: \.name) { [("fields", .array($0.fields.map(value)))] }
                    } + difference.changedTypes.map(value))
            ),
            ("otherStatements", .array(difference.unrecognized.map { value($0, name: \.self) { _ in [] } })),
            ("refusedByProduction", .array(difference.refused.map { .string($0) })),
            ("losingIndexes", .array(difference.fieldsThatLoseIndexes.map { .string($0) })),
        ])
    }

    private static func value(_ type: SchemaDifference.TypeChange) -> JSONValue {
        .object([
            ("change", .string("changed")), ("name", .string(type.name)),
            ("fields", .array(type.fields.map { value($0, name: \.name, members: definition) })),
            (
                "grants",
                .array(
                    type.grants.map { change in
                        value(change, name: \.role) {
                            [("permissions", .array($0.permissions.map { .string($0.word) }))]
                        }
                    })
            ),
        ])
    }

    private static func value(_ field: RecordField) -> JSONValue {
        .object([("name", .string(field.name))] + definition(field))
    }

    private static func definition(_ field: RecordField) -> [(key: String, value: JSONValue)] {
        let options = FieldOption.allCases.filter { field.options.contains($0) }.map(\.rawValue)
        return [
            ("type", .string(field.type.text)),
            ("options", .array((options + field.unrecognized).map { .string($0) })),
        ]
    }

    private static func value<Value>(
        _ change: SchemaDifference.Change<Value>, name: (Value) -> String,
        members: (Value) -> [(key: String, value: JSONValue)]
    ) -> JSONValue {
        switch change {
        case .added(let value):
            .object([("change", .string("added")), ("name", .string(name(value)))] + members(value))
        case .removed(let value):
            .object([("change", .string("removed")), ("name", .string(name(value)))] + members(value))
        case .changed(let old, let new):
            .object([
                ("change", .string("changed")), ("name", .string(name(new))), ("old", .object(members(old))),
                ("new", .object(members(new))),
            ])
        }
    }
}
