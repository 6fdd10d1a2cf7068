/// Writes the rows of another store into a new one, with their keys, in one transaction.
package protocol RowRestoration: AnyObject {
    /// Inserts rows of one entity. Rows may refer to others that are inserted later.
    ///
    /// - Parameter rows: The rows with their keys. Of the IDs in them, only the entity and the key count.
    func insert(_ rows: [(key: Int64, row: Row)], _ layout: EntityLayout) throws

    /// Returns whether a to-many relationship must be linked, because it does not follow from the rows of its members.
    func needsMembers(at slot: Int, _ layout: EntityLayout) -> Bool

    /// Sets the members of a to-many relationship, in order. All rows must have been inserted.
    func link(_ owners: [(key: Int64, members: [NSManagedObjectID])], at slot: Int, _ layout: EntityLayout) throws

    /// Records the last key that the other store has given to an object of an entity, so that a new object never gets
    /// the ID of a deleted one.
    func recordLastKey(_ key: Int64, _ layout: EntityLayout) throws
}

/// The contents of a store that does not exist yet, for stores that are created and filled in one transaction.
///
/// The value of an option of `addPersistentStore`. The store is created under another UUID: remove it from the
/// coordinator before it is used.
package final class StoreFilling {
    /// The key of the option.
    package static let option = "ModelcStoreFilling"

    /// The UUID that the store is created with in the database.
    package let identifier: String
    /// The metadata of the app.
    package let metadata: [String: Any]
    /// Whether the contents were written.
    private(set) var isDone = false
    private let write: (any RowRestoration) throws -> Void

    init(identifier: String, metadata: [String: Any], write: @escaping (any RowRestoration) throws -> Void) {
        self.identifier = identifier
        self.metadata = metadata
        self.write = write
    }

    /// Writes the contents. The transaction that creates the store must be open.
    package func run(_ restoration: any RowRestoration) throws {
        try write(restoration)
        isDone = true
    }
}
