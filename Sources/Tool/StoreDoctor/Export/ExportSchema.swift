internal import CoreData
internal import Diagnostics
internal import ModelSchema

/// The files beside an export that describe it: `schema.json`, a JSON Schema, and `schema.sql`, the tables for its
/// columns.
struct ExportSchema {
    private let plan: ExportPlan
    private let counts: [Int: Int]
    private let fileExtension: String
    static let formatVersion = 1

    init(_ plan: ExportPlan, counts: [Int: Int], fileExtension: String) {
        self.plan = plan
        self.counts = counts
        self.fileExtension = fileExtension
    }

    /// Writes the files. `schema.json` is the last one: an export without it is incomplete.
    func write(to folder: String) throws(StoreExporter.Failure) {
        if let model = plan.examination.cachedModelArchive {
            let file = try NewFile("\(folder)/model.mom")
            try file.write(model)
            try file.finish()
        }
        for (name, text) in [("schema.sql", sql), ("schema.json", json.text + "\n")] {
            let file = try NewFile("\(folder)/\(name)")
            try file.write([UInt8](text.utf8))
            try file.finish()
        }
    }

    private var entities: [ExportPlan.Entity] {
        plan.hierarchies.flatMap(\.sortedEntities).sorted { $0.layout.name < $1.layout.name }
    }

    // MARK: JSON Schema

    private var json: JSONValue {
        var definitions: [(key: String, value: JSONValue)] = []
        if fileExtension == "jsonl" {
            for entity in entities { definitions.append((entity.layout.name, schema(of: entity))) }
            definitions.append(("$stored", Self.stored))
        }
        return .object([
            ("$schema", .string("https://json-schema.org/draft/2020-12/schema")),
            ("anyOf", .array(definitions.filter { $0.key != "$stored" }.map { Self.reference($0.key) })),
            ("$defs", .object(definitions)),
            ("x-modelc", description),
        ])
    }

    private static func reference(_ name: String) -> JSONValue {
        let escaped = name.split(separator: "~", omittingEmptySubsequences: false).joined(separator: "~0")
            .split(separator: "/", omittingEmptySubsequences: false).joined(separator: "~1")
        return .object([("$ref", .string("#/$defs/\(escaped)"))])
    }

    /// A value as it is stored, where the type of the attribute does not have it, or where JSON cannot express it.
    private static let stored: JSONValue = .object([
        ("type", .string("object")), ("minProperties", .integer(1)),
        (
            "properties",
            .object([
                ("$integer", .object([("type", .string("integer"))])),
                ("$real", .object([("type", .array([.string("number"), .string("string")]))])),
                ("$text", .object([("type", .string("string"))])),
                ("$textBytes", base64), ("$bytes", base64), ("$archive", base64), ("$value", .bool(true)),
                ("$file", .object([("type", .string("string"))])), ("$missing", .object([("type", .string("string"))])),
            ])
        ),
        ("additionalProperties", .bool(false)),
    ])

    private static let base64: JSONValue = .object([
        ("type", .string("string")), ("contentEncoding", .string("base64")),
    ])

    private func schema(of entity: ExportPlan.Entity) -> JSONValue {
        var members: [(key: String, value: JSONValue)] = [
            ("_id", .object([("type", .string("string")), ("pattern", .string("/[0-9]+$"))])),
            ("_entity", .object([("const", .string(entity.layout.name))])),
        ]
        members += Self.members(
            entity.properties.map { ($0.name.split(separator: ".").map(String.init)[...], $0) }, schema: schema)
        return .object([
            ("type", .string("object")), ("properties", .object(members)),
            ("required", .array(members.map { .string($0.key) })), ("additionalProperties", .bool(false)),
        ])
    }

    private static func members(
        _ properties: [(path: ArraySlice<String>, property: ExportPlan.Property)],
        schema: (ExportPlan.Property) -> JSONValue
    ) -> [(key: String, value: JSONValue)] {
        var result: [(key: String, value: JSONValue)] = []
        var index = 0
        while index < properties.count {
            let (path, property) = properties[index]
            let name = JSONRowWriter.memberName(path.first ?? property.name)
            guard path.count > 1 else {
                result.append((name, schema(property)))
                index += 1
                continue
            }
            let group = properties[index...].prefix { $0.path.count > 1 && $0.path.first == path.first }
            let elements = members(group.map { ($0.path.dropFirst(), $0.property) }, schema: schema)
            result.append(
                (
                    name,
                    .object([
                        ("type", .array([.string("object"), .string("null")])), ("properties", .object(elements)),
                        ("additionalProperties", .bool(false)),
                    ])
                ))
            index += group.count
        }
        return result
    }

    private func schema(_ property: ExportPlan.Property) -> JSONValue {
        let object: JSONValue =
            plan.options.relationships == .nested
            ? .object([
                ("type", .array([.string("string"), .string("object")])),
                ("required", .array([.string("_id")])),
            ]) : .object([("type", .string("string"))])
        switch property.kind {
        case .toMany: return .object([("type", .string("array")), ("items", object)])
        case .toOne: return Self.any([object, .object([("type", .string("null"))])])
        case .attribute(_, let attribute):
            // Stores can lack required values.
            return Self.any(
                types(attribute.type) + [.object([("type", .string("null"))]), Self.reference("$stored")])
        }
    }

    private static func any(_ types: [JSONValue]) -> JSONValue { .object([("anyOf", .array(types))]) }

    private func types(_ type: NSAttributeType) -> [JSONValue] {
        func named(_ name: String, _ more: (String, JSONValue)...) -> JSONValue {
            .object([("type", .string(name))] + more.map { (key: $0.0, value: $0.1) })
        }
        let infinities: JSONValue = .object([("enum", .array([.string("Infinity"), .string("-Infinity")]))])
        switch type {
        case .integer16AttributeType, .integer32AttributeType: return [named("integer")]
        case .integer64AttributeType:
            return plan.options.writesBigIntegersAsText ? [named("integer"), named("string")] : [named("integer")]
        case .booleanAttributeType: return [named("boolean")]
        case .doubleAttributeType, .floatAttributeType: return [named("number"), infinities]
        case .decimalAttributeType: return [named("string", ("format", .string("decimal")))]
        case .dateAttributeType:
            return plan.options.dates == .iso
                ? [named("string", ("format", .string("date-time")))] : [named("number"), infinities]
        case .URIAttributeType: return [named("string", ("format", .string("uri-reference")))]
        case .UUIDAttributeType: return [named("string", ("format", .string("uuid")))]
        case .binaryDataAttributeType: return [Self.base64]
        case .transformableAttributeType: return []
        default: return [named("string")]
        }
    }

    // MARK: Description

    private var description: JSONValue {
        let metadata = plan.examination.metadata
        let cursors = plan.hierarchies.reduce(into: [Int: [ExportPlan.Cursor]]()) { result, hierarchy in
            for number in hierarchy.entities.keys { result[number] = hierarchy.cursors }
        }
        return .object([
            ("version", .integer(Self.formatVersion)),
            ("format", .string(fileExtension)),
            ("uuid", .string(metadata.uuid)),
            ("dates", .string(plan.options.dates.rawValue)),
            ("relationships", .string(plan.options.relationships.rawValue)),
            (
                "entities",
                .array(
                    entities.map { entity in
                        .object([
                            ("name", .string(entity.layout.name)),
                            (
                                "parent",
                                plan.layout.entity(number: entity.layout.parentNumber).map { .string($0.name) } ?? .null
                            ),
                            ("file", .string("\(entity.fileName).\(fileExtension)")),
                            ("rows", .integer(counts[entity.layout.number] ?? 0)),
                            (
                                "hash",
                                metadata.hashes?[entity.layout.name].map { .string(Base64.encode($0)) } ?? .null
                            ),
                            (
                                "properties",
                                .array(entity.properties.map { description($0, cursors[entity.layout.number] ?? []) })
                            ),
                        ])
                    })
            ),
        ])
    }

    private func description(_ property: ExportPlan.Property, _ cursors: [ExportPlan.Cursor]) -> JSONValue {
        switch property.kind {
        case .attribute(_, let attribute):
            return .object([
                ("name", .string(property.name)), ("type", .string(Self.typeName(attribute.type))),
                ("optional", .bool(property.isOptional)),
            ])
        case .toOne(_, _, _, let toOne):
            return .object([
                ("name", .string(property.name)), ("type", .string("to-one")),
                ("destination", .string(plan.layout.entity(number: toOne.destination)?.name ?? "")),
            ])
        case .toMany(let index):
            let cursor = cursors.indices.contains(index) ? cursors[index] : nil
            return .object([
                ("name", .string(property.name)), ("type", .string("to-many")),
                ("destination", .string(cursor?.destination.name ?? "")),
                ("ordered", .bool(cursor?.isOrdered ?? false)),
            ])
        }
    }

    static func typeName(_ type: NSAttributeType) -> String {
        switch type {
        case .integer16AttributeType: "integer16"
        case .integer32AttributeType: "integer32"
        case .integer64AttributeType: "integer64"
        case .booleanAttributeType: "boolean"
        case .doubleAttributeType: "double"
        case .floatAttributeType: "float"
        case .decimalAttributeType: "decimal"
        case .dateAttributeType: "date"
        case .stringAttributeType: "string"
        case .URIAttributeType: "uri"
        case .UUIDAttributeType: "uuid"
        case .binaryDataAttributeType: "binary"
        case .transformableAttributeType: "transformable"
        default: "undefined"
        }
    }

    // MARK: SQL

    /// The statements that create a table for each file, with the types of its columns.
    private var sql: String {
        var result = "-- The columns of the exported files, with types that SQLite and DuckDB know.\n"
        var tables = TableNames()
        for (name, group) in Dictionary(grouping: entities, by: \.fileName).sorted(by: { $0.key < $1.key }) {
            // Names that differ in case alone are equal in SQL. The columns have the order of the file.
            var names = TableNames(reserved: ["_id", "_entity"])
            var columns = ["\"_id\" TEXT PRIMARY KEY", "\"_entity\" TEXT"]
            var known: Set<String> = []
            for property in group.flatMap(\.properties) where known.insert(property.name).inserted {
                let name = names.name(JSONRowWriter.memberName(property.name))
                columns.append("\(SQLName.inQuotes(name)) \(sqlType(property))")
            }
            result +=
                "CREATE TABLE \(SQLName.inQuotes(tables.name(name))) (\n    \(columns.joined(separator: ",\n    "))\n);\n"
        }
        return result
    }

    private func sqlType(_ property: ExportPlan.Property) -> String {
        guard case .attribute(_, let attribute) = property.kind else { return "TEXT" }
        switch attribute.type {
        case .integer16AttributeType: return "SMALLINT"
        case .integer32AttributeType: return "INTEGER"
        case .integer64AttributeType: return "BIGINT"
        case .booleanAttributeType: return "BOOLEAN"
        case .doubleAttributeType: return "DOUBLE"
        case .floatAttributeType: return "REAL"
        case .dateAttributeType: return plan.options.dates == .iso ? "TIMESTAMP" : "DOUBLE"
        case .UUIDAttributeType: return "UUID"
        default: return "TEXT"
        }
    }
}
