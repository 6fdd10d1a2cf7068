/// The storage of an entity in a database.
package protocol MappedEntity: AnyObject {
    var mapping: EntityMapping { get }
    var layout: EntityLayout { get }
    /// The slots that are computed by the store or its triggers.
    var derivedSlots: Set<Int> { get }
    /// The slots of derived attributes that neither triggers nor the server maintain, in ascending order.
    var callerDerivedSlots: [Int] { get }
    /// The cached rows of the table, by key.
    var cache: RowCache { get }
    /// The slots whose values have no fixed size.
    var sizedSlots: [Int] { get }
}

extension MappedEntity {
    /// Caches the row of a key; `nil` if there is none.
    package func remember(_ row: Row?, _ key: Int64) {
        guard let row else { return cache[key] = nil }
        cache.set(row, key, size: row.memorySize(sizedSlots))
    }
}

extension EntityLayout {
    /// The slots of attributes whose values have no fixed size.
    package var sizedSlots: [Int] {
        attributeSlots.filter { slot in
            guard case .attribute(let type) = slots[slot].kind else { return false }
            return [.stringAttributeType, .binaryDataAttributeType, .transformableAttributeType].contains(type)
        }
    }
}

/// A store in a database, with a storage for each entity.
package protocol DatabaseStore<Entity>: BuiltInEngine {
    associatedtype Entity: MappedEntity

    /// Returns the storage of a layout's entity, or `nil` if the store does not hold it.
    func entity(_ layout: EntityLayout) -> Entity?

    /// Returns the storage of the entity with a number.
    func entity(number: Int) -> Entity?

    /// Returns the ID of a row.
    func id(_ key: Int64, _ entity: Entity) -> NSManagedObjectID
}

extension DatabaseStore {
    /// Returns the cached row of an object, or `nil` if there is none.
    package func cachedRow(of id: NSManagedObjectID, _ layout: EntityLayout) -> Row? {
        guard case .number(let key) = id.reference, let entity = entity(layout) else { return nil }
        return entity.cache[key].flatMap { $0.fitted(to: layout) }
    }
}

/// The identity of a row: the number of the root entity, whose table contains it, and its key.
package struct RowIdentity: Hashable {
    package var root: Int
    package var key: Int64

    package init(root: Int, key: Int64) {
        self.root = root
        self.key = key
    }
}
