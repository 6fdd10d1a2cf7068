/// What a save does to one object, without references to objects of the context where that can be.
///
/// A class, since saves look at each change many times: one reference is counted then and not those of all its parts.
final class ObjectChange {
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

    let kind: Kind
    /// The object, which the context keeps until its save is over.
    unowned(unsafe) let object: NSManagedObject
    let id: NSManagedObjectID
    let layout: EntityLayout
    /// The row to write, with the next version; for a deletion the last one known.
    let row: Row
    /// The version of the row that the context knows; 0 for a new object.
    let oldVersion: Int
    /// The slots whose values differ from those that the context knows of the store. Nothing for a new object, all of which is
    /// written, and one that is deleted.
    let changedSlots: [Int]
    /// Whether attributes or to-one relationships change. To-many relationships are not part of a row: two contexts may change
    /// them at once.
    let changesRow: Bool
    var members: [MemberChange] = []

    init(
        kind: Kind, object: NSManagedObject, id: NSManagedObjectID, layout: EntityLayout, row: Row, oldVersion: Int,
        changedSlots: [Int] = [], changesRow: Bool? = nil
    ) {
        self.kind = kind
        self.object = object
        self.id = id
        self.layout = layout
        self.row = row
        self.oldVersion = oldVersion
        self.changedSlots = changedSlots
        self.changesRow = changesRow ?? (kind != .update || changedSlots.contains(where: layout.isInRow))
    }
}
