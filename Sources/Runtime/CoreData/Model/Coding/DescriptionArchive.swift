internal import CompiledModel
internal import Foundation
internal import ModelSchema
internal import RuntimeSupport

/// The archives of models, their parts and fetch requests: one property list in a block of bytes, after its SHA-256
/// digest.
///
/// A part is archived with its model. Reading returns `nil` if the archive is damaged or in another format. The digest
/// also keeps damaged archives of custom objects, such as default values of transformable attributes, from Foundation's
/// unarchiver, which traps on some of them.
enum DescriptionArchive {
    private static let key = "modelc.description"
    private static let version = 1
    private static let digestLength = 32

    // MARK: Writing

    private static func encode(_ coder: NSCoder, _ body: (inout ArchivedFields) throws -> Void) {
        var fields = ArchivedFields()
        do {
            try fields.add("version", version)
            try body(&fields)
        } catch {
            misuse("NSInvalidArgumentException", "\(error)")
        }
        // Not as an `NSData`: Foundation's unarchiver traps when it finds an object of another class.
        let list = fields.list.binaryBytes()
        (SHA256.hash(list) + list).withUnsafeBufferPointer { bytes in
            coder.encodeBytes(bytes.baseAddress, length: bytes.count, forKey: key)
        }
    }

    static func encode(_ model: NSManagedObjectModel, with coder: NSCoder) {
        encode(coder) { $0.add("model", list: try DescriptionEncoder.model(model)) }
    }

    static func encode(_ entity: NSEntityDescription, with coder: NSCoder) {
        encode(coder) { try add(entity, to: &$0) }
    }

    static func encode(_ property: NSPropertyDescription, with coder: NSCoder) {
        encode(coder) { try add(property, to: &$0) }
    }

    static func encode(_ index: NSFetchIndexDescription, with coder: NSCoder) {
        encode(coder) { fields in
            fields.add("index", list: try DescriptionEncoder.index(index))
            if let owner = index.owner { try add(owner, to: &fields) }
        }
    }

    static func encode(_ element: NSFetchIndexElementDescription, with coder: NSCoder) {
        encode(coder) { fields in
            if let property = element.property { try add(property, to: &fields) }
            try fields.add("rTree", element.collationType == .rTree)
            try fields.add("ascending", element.isAscending)
        }
    }

    static func encode(_ settings: FetchSettings, with coder: NSCoder) {
        encode(coder) { $0.add("request", list: try DescriptionEncoder.request(settings)) }
    }

    private static func add(_ entity: NSEntityDescription, to fields: inout ArchivedFields) throws {
        try fields.add("entity", entity.name ?? "")
        try fields.add("isInModel", entity.model != nil)
        fields.add("model", list: try DescriptionEncoder.surroundings(of: entity))
    }

    private static func add(_ property: NSPropertyDescription, to fields: inout ArchivedFields) throws {
        fields.add("property", list: try DescriptionEncoder.property(property))
        if let owner = property.owner {
            try add(owner, to: &fields)
        } else if let destination = (property as? NSRelationshipDescription)?.destinationEntity {
            fields.add("model", list: try DescriptionEncoder.surroundings(of: destination))
        }
    }

    // MARK: Reading

    private static func decode<Part>(_ coder: NSCoder, _ body: (ArchivedReader) throws -> Part?) -> Part? {
        guard coder.containsValue(forKey: key) else { return nil }
        let bytes = coder.withDecodedUnsafeBufferPointer(forKey: key) { $0.map { [UInt8]($0) } }
        guard let bytes, bytes.count > digestLength else { return nil }
        let content = Array(bytes[digestLength...])
        guard SHA256.hash(content).elementsEqual(bytes.prefix(digestLength)),
            let list = try? PropertyListValue(binary: content), let reader = try? ArchivedReader(list),
            (try? reader.integer("version")) == version
        else { return nil }
        return try? body(reader)
    }

    /// Fills a new model.
    ///
    /// - Returns: Whether the archive contains a model.
    static func fill(_ model: NSManagedObjectModel, from coder: NSCoder) -> Bool {
        decode(coder) { reader in try reader.list["model"].map { try DescriptionDecoder.fill(model, $0) } } != nil
    }

    /// An entity in its model.
    struct ArchivedEntity {
        let entity: NSEntityDescription
        let model: NSManagedObjectModel
        /// Whether the archived entity was in a model.
        let isInModel: Bool
    }

    static func entity(from coder: NSCoder) -> ArchivedEntity? { decode(coder) { try entity($0) } }

    private static func entity(_ reader: ArchivedReader) throws -> ArchivedEntity? {
        guard let list = reader.list["model"], let name = try reader.string("entity") else { return nil }
        let model = try DescriptionDecoder.model(list)
        let isInModel = try reader.flag("isInModel")
        return model.entitiesByName[name].map { ArchivedEntity(entity: $0, model: model, isInModel: isInModel) }
    }

    /// Decodes a property, which retains its model.
    static func property(from coder: NSCoder) -> NSPropertyDescription? { decode(coder) { try property($0) } }

    private static func property(_ reader: ArchivedReader) throws -> NSPropertyDescription? {
        guard let list = reader.list["property"] else { return nil }
        let property = try DescriptionDecoder.property(list)
        if let surroundings = try entity(reader) {
            guard let original = surroundings.entity.propertiesByName[property.name],
                type(of: original) == type(of: property)
            else { return nil }
            property.adopt(original)
            property.owner = original.owner
            property.archivedModel = surroundings.model
        } else if let relationship = property as? NSRelationshipDescription, let model = reader.list["model"] {
            let model = try DescriptionDecoder.model(model)
            try DescriptionDecoder.link(relationship, reader: ArchivedReader(list), entities: model.entitiesByName)
            relationship.archivedModel = model
        }
        return property
    }

    /// Decodes an index, which retains its model.
    static func index(from coder: NSCoder) -> NSFetchIndexDescription? {
        decode(coder) { reader in
            guard let list = reader.list["index"] else { return nil }
            let surroundings = try entity(reader)
            let index = try DescriptionDecoder.index(list, surroundings?.entity.propertiesByName ?? [:])
            index.owner = surroundings?.entity
            index.archivedModel = surroundings?.model
            return index
        }
    }

    /// A column of an index.
    struct ArchivedElement {
        let column: NSPropertyDescription
        let type: NSFetchIndexElementType
        let ascending: Bool
    }

    static func element(from coder: NSCoder) -> ArchivedElement? {
        decode(coder) { reader in
            guard let column = try property(reader) else { return nil }
            return ArchivedElement(
                column: column, type: try reader.flag("rTree") ? .rTree : .binary,
                ascending: try reader.flag("ascending"))
        }
    }

    static func request(from coder: NSCoder) -> FetchSettings? {
        decode(coder) { try $0.list["request"].map { try DescriptionDecoder.request($0) } }
    }
}
