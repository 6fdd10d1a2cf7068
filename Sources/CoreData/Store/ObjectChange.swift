/// What a save does to one object, without references to objects of the context where that can be.
struct ObjectChange {
    /// What is done.
    enum Kind {
        case insert
        case update
        case delete
    }

    /// What changes in a to-many relationship.
    struct MemberChange {
        var slot: Int
        var added: [NSManagedObjectID]
        var removed: [NSManagedObjectID]
        /// All members in order; nil for a relationship without order.
        var order: [NSManagedObjectID]?
    }

    var kind: Kind
    var object: NSManagedObject
    var id: NSManagedObjectID
    var layout: EntityLayout
    /// The row to write, with the next version; for a deletion the last one known.
    var row: Row
    /// The version of the row that the context knows; 0 for a new object.
    var oldVersion: Int
    /// Whether attributes or to-one relationships change. To-many relationships are not part of a row: two contexts may change
    /// them at once.
    var changesRow = true
    /// The slots whose values differ from those that the context knows of the store.
    var changedSlots: [Int] = []
    var members: [MemberChange] = []
}
