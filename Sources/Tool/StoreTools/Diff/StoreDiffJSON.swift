internal import Diagnostics

/// A difference between stores as JSON.
struct StoreDiffJSON {
    let difference: StoreDifference

    var value: JSONValue {
        .object([
            ("equal", .bool(difference.isEmpty)), ("equalObjects", .integer(difference.equalCount)),
            ("objects", .array(difference.objects.map(Self.value))),
            ("removedEntities", Self.list(difference.removedEntities)),
            ("addedEntities", Self.list(difference.addedEntities)),
            ("removedProperties", Self.list(difference.removedProperties)),
            ("addedProperties", Self.list(difference.addedProperties)),
        ])
    }

    private static func list(_ names: [String]) -> JSONValue { .array(names.map { .string($0) }) }

    private static func value(_ change: StoreDifference.ObjectChange) -> JSONValue {
        .object([
            ("change", .string(change.kind.rawValue)), ("entity", .string(change.entity)), ("key", .string(change.key)),
            (
                "values",
                .array(
                    change.values.map {
                        .object([
                            ("property", .string($0.property)), ("old", .string($0.old)), ("new", .string($0.new)),
                        ])
                    })
            ),
        ])
    }
}
