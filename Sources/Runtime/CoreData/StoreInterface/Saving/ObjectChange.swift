/// The change of one object in a save, in values. The object itself is only a handle.
///
/// A class, because saves access each change many times: this retains a single reference rather than those of all its
/// parts.
package final class ObjectChange {
    /// The kind of change.
    package enum Kind {
        case insert
        case update
        case delete
    }

    /// The change of a to-many relationship.
    package struct MemberChange {
        package var slot: Int
        package var added: [NSManagedObjectID]
        package var removed: [NSManagedObjectID]
        /// All members in order; `nil` for an unordered relationship.
        package var order: [NSManagedObjectID]?
    }

    package let kind: Kind
    /// The object, which the context retains until its save is over (`handle`).
    package unowned(unsafe) let reference: AnyObject
    package let id: NSManagedObjectID
    package let layout: EntityLayout
    /// The row to write, with the next version; for a deletion, the last known row.
    package let row: Row
    /// The row that the context knows; `nil` for a new object.
    package let base: Row?
    /// The slots whose values differ from the stored ones that the context knows. Empty for a new object, whose values
    /// are all written, and for a deleted one.
    package let changedSlots: [Int]
    /// Whether attributes or to-one relationships change. To-many relationships are not part of a row: two contexts may
    /// change them at the same time.
    package let changesRow: Bool
    @exclusivity(unchecked) package var members: [MemberChange] = []
    /// The derived attributes that the store lets the caller compute (`StoreSave.computeDerivedValues`).
    @exclusivity(unchecked) var derived: [(slot: Int, value: SlotValue)] = []

    init(
        kind: Kind, object: AnyObject, id: NSManagedObjectID, layout: EntityLayout, row: Row, base: Row?,
        changedSlots: [Int] = [], changesRow: Bool? = nil
    ) {
        self.kind = kind
        reference = object
        self.id = id
        self.layout = layout
        self.row = row
        self.base = base
        self.changedSlots = changedSlots
        self.changesRow = changesRow ?? (kind != .update || changedSlots.contains(where: layout.isInRow))
    }

    /// The object, for errors and custom stores.
    package var handle: ObjectHandle { ObjectHandle(reference: reference) }

    /// The version of the row that the context knows; 0 for a new object.
    package var oldVersion: Int { base?.version ?? 0 }
}
