public import Foundation

extension Schema {
    private enum CodingKeys: String, CodingKey { case encodingVersion, version, entities }

    /// The encoded form of an entity: its class, and what shows whether the class has changed since.
    private struct CodedEntity: Codable, Equatable {
        var name: String
        var type: String?
        var properties: [CodedProperty]
        var uniquenessConstraints: [[String]]
        var indices: [[String]]

        init(_ entity: Entity) {
            name = entity.name
            type = entity.info.flatMap { _mangledTypeName($0.type) }
            properties = entity.storedProperties.map(CodedProperty.init)
            uniquenessConstraints = entity.uniquenessConstraints
            indices = entity.indices
        }
    }

    private struct CodedProperty: Codable, Equatable {
        var name: String
        var originalName: String
        var type: String
        var isUnique: Bool
        var isTransient: Bool
        var deleteRule: Relationship.DeleteRule?
        var inverseName: String?

        init(_ property: any SchemaProperty) {
            name = property.name
            originalName = property.originalName
            type = "\(property.valueType)"
            isUnique = property.isUnique
            isTransient = property.isTransient
            let relationship = property as? Relationship
            deleteRule = relationship?.deleteRule
            inverseName = relationship?.inverseName
        }
    }

    /// Encodes the version, the names of the classes, and the properties of the entities.
    ///
    /// - Throws: An `EncodingError`, or an error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(encodingVersion, forKey: .encodingVersion)
        try container.encode(version, forKey: .version)
        try container.encode(entities.map(CodedEntity.init), forKey: .entities)
    }

    /// Decodes a schema: finds its classes in the program.
    ///
    /// - Throws: A `DecodingError` if the encoding has another version, or the program has no such class or another
    ///   version of it.
    public convenience init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let encoding = try container.decode(Version.self, forKey: .encodingVersion)
        guard encoding == Self.schemaEncodingVersion else {
            throw DecodingError.dataCorruptedError(
                forKey: .encodingVersion, in: container,
                debugDescription: "the schema has the encoding version \(encoding), and this program reads "
                    + "\(Self.schemaEncodingVersion) only")
        }
        let version = try container.decode(Version.self, forKey: .version)
        let coded = try container.decode([CodedEntity].self, forKey: .entities)
        func problem(_ text: String) -> DecodingError {
            .dataCorruptedError(forKey: .entities, in: container, debugDescription: text)
        }
        let types = try coded.map { entity in
            guard let name = entity.type, let type = _typeByName(name) as? any PersistentModel.Type else {
                throw problem("the class of the entity “\(entity.name)” is not in this program")
            }
            return type
        }
        self.init(types, version: version)
        for (old, new) in zip(coded, entities.map(CodedEntity.init)) where old != new {
            throw problem("the class of the entity “\(old.name)” has changed since the schema was encoded")
        }
        guard coded.count == entities.count else {
            throw problem("the schema's classes refer to others than when it was encoded")
        }
    }

    // MARK: Files

    /// Writes the schema to a file, as JSON.
    ///
    /// - Throws: An `EncodingError`, or the `CocoaError` of a file that cannot be written.
    public func save(to url: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(self).write(to: url, options: .atomic)
    }

    /// Returns the schema in a file that `save(to:)` has written.
    ///
    /// - Throws: The `CocoaError` of a file that cannot be read, or a `DecodingError`: see `init(from:)`.
    public static func load(from url: URL) throws -> Schema {
        try JSONDecoder().decode(Schema.self, from: Data(contentsOf: url))
    }
}
