internal import Diagnostics
internal import ModelEvolution
internal import ModelMigration
internal import ModelSchema

struct DiffJSON {
    private let report: DiffReport

    init(_ report: DiffReport) {
        self.report = report
    }

    var value: JSONValue {
        let difference = report.difference
        return .object([
            ("old", .string(report.oldTitle)), ("new", .string(report.newTitle)),
            ("entities", .array(difference.entities.map(Self.value))),
            ("fetchRequests", .array(difference.fetchRequests.map(Self.value))),
            ("configurations", .array(difference.configurations.map(Self.value))),
            ("composites", .array(difference.composites.map(Self.value))),
            ("settings", .array(difference.settings.map(Self.value))),
            ("migration", MigrationJSON.value(report.migration)),
        ])
    }

    private static func value(_ entity: EntityChange) -> JSONValue {
        .compact(
            members(entity.change) + [
                ("properties", .array(entity.properties.map(value))),
                ("oldHash", .optional(entity.oldHash?.hexString)), ("newHash", .optional(entity.newHash?.hexString)),
                ("hashTerms", .array(entity.hashTerms.map { .string(DiffPhrases.text($0)) })),
            ])
    }

    private static func value(_ property: PropertyChange) -> JSONValue {
        .compact(
            members(property.change) + [
                ("oldKind", .optional(property.oldKind?.rawValue)), ("newKind", .optional(property.newKind?.rawValue)),
                ("oldOwner", .optional(property.oldOwner)), ("newOwner", .optional(property.newOwner)),
                ("summary", .optional(property.summary.isEmpty ? nil : property.summary)),
            ])
    }

    private static func value(_ change: ElementChange) -> JSONValue { .compact(members(change)) }

    private static func members(_ change: ElementChange) -> [(key: String, value: JSONValue)] {
        [
            ("change", .string(change.kind.rawValue)), ("old", .optional(change.oldName)),
            ("new", .optional(change.newName)), ("fields", .array(change.fields.map(value))),
        ]
    }

    private static func value(_ field: FieldChange) -> JSONValue {
        .object([
            ("field", .string(field.field.rawValue)), ("old", .optional(field.old)), ("new", .optional(field.new)),
            ("changesHash", .bool(field.changesHash)),
        ])
    }
}

enum MigrationJSON {
    static func value(_ migration: LightweightMigration) -> JSONValue {
        .object([
            ("verdict", .string(migration.isUnneeded ? "unneeded" : migration.isPossible ? "lightweight" : "mapping")),
            ("steps", .array(migration.steps.map { .string($0.text) })),
            (
                "obstacles",
                .array(
                    migration.obstacles.map { obstacle in
                        .compact([
                            ("element", .string(obstacle.element)), ("reason", .string(obstacle.reason)),
                            ("certainty", .string(obstacle.certainty.rawValue)),
                            ("errorCode", obstacle.errorCode.map { .integer($0) } ?? .null),
                            ("help", .string(obstacle.help)),
                        ])
                    })
            ),
            (
                "risks",
                .array(
                    migration.risks.map { risk in
                        .object([("element", .string(risk.element)), ("reason", .string(risk.reason))])
                    })
            ),
        ])
    }
}
