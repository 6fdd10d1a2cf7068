/// The change of one object in a save, where possible without references to objects of the context.
///
/// A class, because saves access each change many times: this retains a single reference rather than those of all its
/// parts.
final class ObjectChange {
    /// The kind of change.
    enum Kind {
        case insert
        case update
        case delete
    }

    /// The change of a to-many relationship.
    struct MemberChange {
        var slot: Int
        var added: [NSManagedObjectID]
        var removed: [NSManagedObjectID]
        /// All members in order; nil for an unordered relationship.
        var order: [NSManagedObjectID]?
    }

    let kind: Kind
    /// The object, which the context retains until its save is over.
    unowned(unsafe) let object: NSManagedObject
    let id: NSManagedObjectID
    let layout: EntityLayout
    /// The row to write, with the next version; for a deletion, the last known row.
    let row: Row
    /// The version of the row that the context knows; 0 for a new object.
    let oldVersion: Int
    /// The slots whose values differ from the stored ones that the context knows. Empty for a new object, whose values
    /// are all written, and for a deleted one.
    let changedSlots: [Int]
    /// Whether attributes or to-one relationships change. To-many relationships are not part of a row: two contexts may
    /// change them at the same time.
    let changesRow: Bool
    @exclusivity(unchecked) var members: [MemberChange] = []

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
