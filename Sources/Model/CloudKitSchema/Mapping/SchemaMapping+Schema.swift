package struct SchemaOptions: Hashable, Sendable {
    /// Whether record types have the fields that sharing needs.
    package var includesReceipts = true
    /// Whether the schema has the record type of shares.
    package var includesSharing = false
    /// Whether it is for a public database, which is polled and needs indexes.
    package var isPublic = false

    /// Creates the options of a private database without shares.
    package init() {}

    /// The system fields of Core Data's record types.
    var systemFields: [RecordField] {
        guard isPublic else { return RecordField.system }
        return RecordField.system.map { field in
            switch field.name {
            case "___recordID": RecordField(name: field.name, type: field.type, options: [.queryable])
            case "___modTime": RecordField(name: field.name, type: field.type, options: [.queryable, .sortable])
            default: field
            }
        }
    }
}

extension SchemaMapping {
    /// Returns the schema, in the order of an export.
    package func schema(_ options: SchemaOptions = SchemaOptions()) -> Schema {
        var schema = Schema(recordTypes: [Self.users])
        for type in types {
            let fields = type.fields.filter { $0.purpose != .receipt || options.includesReceipts }.map(\.field)
            schema.recordTypes.append(
                RecordType(name: type.name, fields: options.systemFields + fields, grants: Self.grants))
        }
        if manyToMany != nil {
            schema.recordTypes.append(
                RecordType(
                    name: Self.manyToManyName, fields: options.systemFields + Self.manyToManyFields,
                    grants: Self.grants))
        }
        if options.includesSharing { schema.recordTypes.append(Self.share) }
        return schema.inExportOrder
    }

    /// The grants of Core Data's record types.
    private static let grants = [
        Grant([.write], to: "_creator"), Grant([.create], to: "_icloud"), Grant([.read], to: "_world"),
    ]

    /// The fields of the record type of many-to-many relationships. The options follow the rule for strings, but are
    /// unproven.
    static let manyToManyFields = ["entityNames", "recordNames", "relationships"].map {
        RecordField(name: prefix + $0, type: .string, options: Set(FieldOption.allCases))
    }

    /// The record type that every container has.
    private static let users = RecordType(
        name: "Users", fields: RecordField.system + [RecordField(name: "roles", type: FieldType(.int64, isList: true))],
        grants: [Grant([.write], to: "_creator"), Grant([.read], to: "_world")])

    private static let share = RecordType(
        name: shareName,
        fields: RecordField.system + [
            RecordField(name: "cloudkit.thumbnailImageData", type: .bytes),
            RecordField(name: "cloudkit.title", type: .string),
            RecordField(name: "cloudkit.type", type: .string),
        ],
        grants: grants)
}

extension Schema {
    /// Returns the schema with the record types, fields and indexes that only another one has.
    ///
    /// If both have a field, the type is this schema's. An import replaces the development schema, so the file must
    /// contain everything that production has.
    package func adding(_ other: Schema) -> Schema {
        var result = self
        for role in other.roles where !result.roles.contains(role) { result.roles.append(role) }
        for statement in other.unrecognized where !result.unrecognized.contains(statement) {
            result.unrecognized.append(statement)
        }
        let indexes = Dictionary(recordTypes.indices.map { (recordTypes[$0].name, $0) }) { first, _ in first }
        for type in other.recordTypes {
            guard let index = indexes[type.name] else {
                result.recordTypes.append(type)
                continue
            }
            for field in type.fields { result.recordTypes[index].add(field) }
        }
        return result
    }
}

extension RecordType {
    fileprivate mutating func add(_ field: RecordField) {
        guard let index = fields.firstIndex(where: { $0.name == field.name }) else { return fields.append(field) }
        fields[index].options.formUnion(field.options)
    }
}
