internal import CoreData
internal import Foundation

/// The identity of a model in its store.
///
/// A model has another identifier before it is saved for the first time. Identifiers can be sent to other actors, which
/// pass them to `ModelContext.model(for:)` of their contexts.
public struct PersistentIdentifier: Hashable, Comparable, Codable, Identifiable, Sendable, CustomDebugStringConvertible
{
    /// The identity, as a value without the API of an identifier.
    public struct ID: Hashable, Comparable, Sendable {
        let entityName: String
        let storeIdentifier: String?
        let primaryKey: String

        /// Compares by entity and then by primary key.
        public static func < (lhs: ID, rhs: ID) -> Bool {
            if lhs.entityName != rhs.entityName { return lhs.entityName < rhs.entityName }
            if lhs.primaryKey.count != rhs.primaryKey.count { return lhs.primaryKey.count < rhs.primaryKey.count }
            return lhs.primaryKey < rhs.primaryKey
        }
    }

    /// The ID in the process; `nil` for a decoded identifier.
    let managed: NSManagedObjectID?
    /// The parts of an identifier without an ID.
    private let parts: Parts?

    private final class Parts: Sendable {
        let store: String?
        let entity: String
        let primaryKey: String
        let isTemporary: Bool
        let rowNumber: Int64?

        init(store: String?, entity: String, primaryKey: String, isTemporary: Bool) {
            self.store = store
            self.entity = entity
            self.primaryKey = primaryKey
            self.isTemporary = isTemporary
            let number = primaryKey.hasPrefix("p") ? Int64(primaryKey.dropFirst()) : nil
            rowNumber = number.flatMap { "p\($0)" == primaryKey ? $0 : nil }
        }
    }

    /// The name of the entity.
    public var entityName: String { parts?.entity ?? managed?.entity.name ?? "" }
    /// The identifier of the store; `nil` before the model is saved.
    public var storeIdentifier: String? {
        if let parts { return parts.store }
        return managed?.storeUUIDText
    }
    var primaryKey: String { parts?.primaryKey ?? managed?.primaryKeyText ?? "" }
    private var rowNumber: Int64? {
        if let parts { return parts.rowNumber }
        return managed?.rowKey
    }
    var isTemporary: Bool { parts?.isTemporary ?? managed?.isTemporaryID ?? true }

    init(_ id: NSManagedObjectID) {
        managed = id
        // The IDs of custom stores have other references than numbers.
        parts = id.rowKey == nil && !id.isTemporaryID ? BridgeStore.identifier(of: id)?.parts : nil
    }

    init(unattached entityName: String) {
        self.init(store: nil, entity: entityName, primaryKey: "t" + UUID().uuidString, isTemporary: true)
    }

    init(temporary primaryKey: String, entity: String) {
        self.init(store: nil, entity: entity, primaryKey: "t" + primaryKey, isTemporary: true)
    }

    private init(store: String?, entity: String, primaryKey: String, isTemporary: Bool) {
        managed = nil
        parts = Parts(store: store, entity: entity, primaryKey: primaryKey, isTemporary: isTemporary)
    }

    /// The identity.
    public var id: ID { ID(entityName: entityName, storeIdentifier: storeIdentifier, primaryKey: primaryKey) }

    /// Returns the identifier of a row.
    ///
    /// - Parameters:
    ///   - storeIdentifier: The identifier of the store.
    ///   - entityName: The name of the entity.
    ///   - primaryKey: The key, such as `"p1"` or `1`.
    public static func identifier<T: Comparable & CustomStringConvertible & Codable & Hashable>(
        for storeIdentifier: String, entityName: String, primaryKey: T
    ) throws -> PersistentIdentifier {
        let text = "\(primaryKey)"
        return PersistentIdentifier(
            store: storeIdentifier, entity: entityName, primaryKey: Int64(text) == nil ? text : "p" + text,
            isTemporary: false)
    }

    var uri: String { "x-coredata://\(storeIdentifier ?? "")/\(entityName)/\(primaryKey)" }

    /// Returns whether two identifiers stand for the same model.
    public static func == (lhs: PersistentIdentifier, rhs: PersistentIdentifier) -> Bool {
        if let left = lhs.managed, let right = rhs.managed {
            if left === right { return true }
            if lhs.parts == nil, rhs.parts == nil { return left.isEqual(toID: right) }
        }
        return lhs.rowNumber == rhs.rowNumber && (lhs.rowNumber != nil || lhs.primaryKey == rhs.primaryKey)
            && lhs.entityName == rhs.entityName && lhs.storeIdentifier == rhs.storeIdentifier
    }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) {
        // The number is known without a text.
        if let rowNumber { hasher.combine(rowNumber) } else { hasher.combine(primaryKey) }
    }

    /// Compares by entity and then by primary key.
    public static func < (lhs: PersistentIdentifier, rhs: PersistentIdentifier) -> Bool { lhs.id < rhs.id }

    /// The URI of the identifier.
    public var debugDescription: String { "PersistentIdentifier(\(uri))" }

    // MARK: Coding

    private enum CodingKeys: String, CodingKey { case implementation }

    private enum PartKeys: String, CodingKey {
        case primaryKey, uriRepresentation, isTemporary, storeIdentifier, entityName
    }

    /// Encodes the identity in the form of Apple's framework.
    ///
    /// - Throws: An `EncodingError`, or an error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        var parts = container.nestedContainer(keyedBy: PartKeys.self, forKey: .implementation)
        try parts.encode(primaryKey, forKey: .primaryKey)
        try parts.encode(uri, forKey: .uriRepresentation)
        try parts.encode(isTemporary, forKey: .isTemporary)
        try parts.encodeIfPresent(storeIdentifier, forKey: .storeIdentifier)
        try parts.encode(entityName, forKey: .entityName)
    }

    /// Decodes an identity in the form of Apple's framework.
    ///
    /// - Throws: A `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let parts = try container.nestedContainer(keyedBy: PartKeys.self, forKey: .implementation)
        self.init(
            store: try parts.decodeIfPresent(String.self, forKey: .storeIdentifier),
            entity: try parts.decode(String.self, forKey: .entityName),
            primaryKey: try parts.decode(String.self, forKey: .primaryKey),
            isTemporary: try parts.decode(Bool.self, forKey: .isTemporary))
    }
}
