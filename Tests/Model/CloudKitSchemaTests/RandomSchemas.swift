import CloudKitSchema
import ModelSchema
import TestSupport

/// A generator of random schemas and models.
struct RandomSchemas {
    var generator: SeededGenerator

    private static let names = [
        "title", "Title", "order", "type", "read", "grant", "CD_a", "CD_b_ckAsset", "_x", "cloudkit.title", "x1", "Z",
        "___etag2", "string", "LIST",
    ]

    mutating func name() -> String {
        let name = Self.names[Int.random(in: 0..<Self.names.count, using: &generator)]
        return generator.chance(3) ? name + String(Int.random(in: 0..<50, using: &generator)) : name
    }

    private mutating func type() -> FieldType {
        let values: [FieldType.Value] = [
            .asset, .bytes, .double, .int64, .location, .reference, .string, .timestamp, .number(preferred: nil),
            .number(preferred: .int64), .number(preferred: .double),
        ]
        let encrypted: [FieldType.Value] = [.bytes, .double, .int64, .location, .string, .timestamp]
        let isEncrypted = generator.chance(4)
        let choices = isEncrypted ? encrypted : values
        let value = choices[Int.random(in: 0..<choices.count, using: &generator)]
        return FieldType(value, isEncrypted: isEncrypted, isList: generator.chance(4))
    }

    /// Returns a valid schema.
    mutating func schema() -> Schema {
        var schema = Schema()
        var roles: Set<String> = []
        for _ in 0..<Int.random(in: 0..<3, using: &generator) { roles.insert(name()) }
        schema.roles = roles.sorted().map { Role(name: $0) }.shuffled(using: &generator)
        var types: Set<String> = []
        for _ in 0..<Int.random(in: 0..<5, using: &generator) { types.insert(name()) }
        for type in types.sorted() { schema.recordTypes.append(recordType(type, roles.sorted())) }
        return schema
    }

    private mutating func recordType(_ name: String, _ roles: [String]) -> RecordType {
        var type = RecordType(name: name)
        var fields: Set<String> = []
        for _ in 0..<Int.random(in: 0..<8, using: &generator) { fields.insert(self.name()) }
        for field in fields.sorted() {
            let fieldType = self.type()
            let options = FieldOption.allCases.filter { _ in !fieldType.isEncrypted && generator.chance(2) }
            type.fields.append(RecordField(name: field, type: fieldType, options: Set(options)))
        }
        for role in Role.systemNames + roles where generator.chance(2) {
            let permissions = [Grant.Permission.create, .read, .write].filter { _ in generator.chance(2) }
            type.grants.append(Grant(permissions.isEmpty ? [.read] : permissions, to: role))
        }
        return type
    }

    /// Returns a schema with its elements in another order.
    mutating func shuffled(_ schema: Schema) -> Schema {
        var result = schema
        result.roles.shuffle(using: &generator)
        result.recordTypes.shuffle(using: &generator)
        for index in result.recordTypes.indices {
            result.recordTypes[index].fields.shuffle(using: &generator)
            result.recordTypes[index].grants.shuffle(using: &generator)
        }
        return result
    }

    /// Returns a model whose attributes have types supported by CloudKit.
    mutating func model() -> Model {
        var model = Model(name: "M")
        for number in 0..<Int.random(in: 1..<5, using: &generator) {
            var entity = Entity(name: "E\(number)")
            if number > 0, generator.chance(3) { entity.parentName = "E\(number - 1)" }
            for index in 0..<Int.random(in: 0..<5, using: &generator) {
                var attribute = Attribute(name: "a\(number)\(index)", type: attributeType())
                attribute.allowsCloudEncryption = generator.chance(5)
                entity.attributes.append(attribute)
            }
            if number > 0, generator.chance(2) {
                entity.relationships.append(
                    Samples.relationship("r\(number)", "E0", inverse: "i\(number)", isToMany: generator.chance(2)))
            }
            model.entities.append(entity)
        }
        return model
    }

    mutating func attributeType() -> AttributeType {
        let types = AttributeType.allCases.filter { ![.undefined, .objectID, .composite].contains($0) }
        return types[Int.random(in: 0..<types.count, using: &generator)]
    }
}
