internal import Foundation

/// An object of an in-memory store. Predicates and sorts read it in place, so contexts only create managed objects for
/// the results.
///
/// Guarded by the lock of the store's coordinator.
package final class MemoryObject: SlotBacked {
    let id: NSManagedObjectID
    let layout: EntityLayout
    var row: Row
    /// The values of the row. Not stored, to save memory: there is such an object for each row.
    var slots: SlotReader { row.reader }
    /// The members of to-many relationships by slot; empty before the first member.
    private var members: [MemberList] = []
    /// Whether the object was deleted in the current save.
    var isDeleted = false
    /// The index in the list of its entity; negative if it is not listed.
    var position = -1
    /// Whether the object is in the list of its entity.
    var isListed: Bool { position >= 0 }
    private unowned let table: MemoryObjectTable

    init(id: NSManagedObjectID, layout: EntityLayout, row: Row, table: MemoryObjectTable) {
        self.id = id
        self.layout = layout
        self.row = row
        self.table = table
    }

    // MARK: Members

    /// Returns the members of a to-many relationship.
    func ids(at slot: Int) -> [NSManagedObjectID] { slot < members.count ? members[slot].ids : [] }

    /// Changes the members of a to-many relationship.
    @inline(__always)
    func changeMembers(at slot: Int, _ change: (inout MemberList) -> Void) {
        if members.isEmpty { members = Array(repeating: MemberList(), count: layout.slots.count) }
        change(&members[slot])
    }

    /// Removes members of a to-many relationship.
    func removeMembers(at slot: Int, withKeys keys: Set<Int64>) {
        if slot < members.count { members[slot].remove(withKeys: keys) }
    }

    @inline(__always)
    func withSlots<Result>(_ body: (SlotReader) -> Result) -> Result { body(slots) }

    // MARK: Reading

    package var slotTable: AnyObject { layout }

    package var slotTableID: ObjectIdentifier { ObjectIdentifier(layout) }

    package func slot(forKey key: String) -> Int? { layout.index(of: key) }

    /// The identity of the object in comparisons with managed objects.
    package var predicateIdentity: NSObject? { id }

    package func slotValue(_ slot: Int) -> PredicateValue {
        switch (layout.slots[slot].kind, row[slot]) {
        case (_, .reference(let id)): .slotted(destination(id))
        case (.toMany(let isOrdered), _):
            .collection(
                PredicateCollection(
                    ids(at: slot).map { .slotted(destination($0)) }, kind: isOrdered ? .orderedSet : .set))
        case (_, let value): PredicateValue(attribute: value)
        }
    }

    /// Returns the object at the other end of a relationship. It has no values if it was deleted and is still
    /// referenced.
    private func destination(_ id: NSManagedObjectID) -> MemoryObject {
        if let object = table.entry(id) { return object }
        let layout = id.layout
        let blank = Row.blank(layout, version: 0)
        return MemoryObject(id: id, layout: layout, row: blank, table: table)
    }

    /// Returns the objects at the other end of a relationship that are in the store.
    func related(at slot: Int) -> [MemoryObject] {
        if case .reference(let id) = row[slot] { return table.entry(id).map { [$0] } ?? [] }
        return ids(at: slot).compactMap(table.entry)
    }

    /// Returns the value of a key that is not a property of the model.
    package func value(forKey key: String) -> Any? {
        switch key {
        case "self", "SELF": self
        case "objectID": id
        case "entity": layout.entity
        default: misuseOfUndefinedKey(key, type: layout.name, description: "\(id)")
        }
    }
}
