/// References that a save would leave dangling, because another context has deleted or related objects in the meantime.
package struct ReferenceConflicts: Error, @unchecked Sendable {
    /// A relationship of an object.
    package struct Reference {
        /// The object that has the reference.
        package var source: NSManagedObjectID
        /// The relationship's slot in the source's layout.
        package var slot: Int
        /// The destination object.
        package var target: NSManagedObjectID

        package init(source: NSManagedObjectID, slot: Int, target: NSManagedObjectID) {
            self.source = source
            self.slot = slot
            self.target = target
        }
    }

    /// References that the save would write to objects that it deletes, or that the store does not have.
    package var dangling: [Reference] = []
    /// References in the store to objects that the save deletes. The save does not change them.
    package var left: [Reference] = []
    /// One-to-one relationships with only one side set after the save.
    package var unpaired: [Reference] = []

    package init(dangling: [Reference] = [], left: [Reference] = [], unpaired: [Reference] = []) {
        self.dangling = dangling
        self.left = left
        self.unpaired = unpaired
    }

    package var isEmpty: Bool { dangling.isEmpty && left.isEmpty && unpaired.isEmpty }

    /// Returns whether a to-one relationship keeps its reference to a deleted object, because the inverse has the
    /// delete rule No Action.
    package static func isKept(_ slot: EntityLayout.Slot, _ target: NSManagedObjectID) -> Bool {
        slot.inverse >= 0 && target.layout.slots[slot.inverse].deleteRule == .noActionDeleteRule
    }
}

extension ObjectChange {
    /// Calls a function with each reference that the change writes to rows or join tables.
    ///
    /// - Parameter holdsMembers: Returns whether a to-many relationship is stored with the object itself rather than in
    ///   its members' rows.
    package func forEachWrittenReference(
        holdsMembers: (_ slot: Int) -> Bool, _ body: (_ slot: Int, NSManagedObjectID) throws -> Void
    ) rethrows {
        guard kind != .delete else { return }
        for slot in kind == .insert ? layout.toOneSlots : changedSlots where !layout.slots[slot].isTransient {
            if case .reference(let target) = row[slot] { try body(slot, target) }
        }
        for change in members where holdsMembers(change.slot) {
            for target in change.added { try body(change.slot, target) }
        }
    }
}

extension ReferenceConflicts {
    /// Returns the references that a save writes to objects that do not exist after it, in a store without columns.
    static func dangling(
        in changes: [ObjectChange], unless exists: (NSManagedObjectID) -> Bool
    ) -> [Reference] {
        var result: [Reference] = []
        // Many objects often have the same reference.
        var last: NSManagedObjectID?
        for change in changes {
            change.forEachWrittenReference(holdsMembers: { change.layout.slots[$0].holdsMembers }) { slot, target in
                if target === last { return }
                last = target
                guard !exists(target) else { return }
                last = nil
                result.append(Reference(source: change.id, slot: slot, target: target))
            }
        }
        return result
    }

    /// Returns the slots that a save replaces in objects that it changes.
    static func replacedSlots(in changes: [ObjectChange]) -> [NSManagedObjectID: [Int]] {
        var replaced: [NSManagedObjectID: [Int]] = [:]
        for change in changes where change.kind == .update { replaced[change.id] = change.changedSlots }
        return replaced
    }

    /// Returns the one-to-one relationships with only one side set after a save: the save writes one side,
    /// and a merge policy has decided otherwise for the other object or its old partner.
    ///
    /// - Parameter storedRows: Returns the rows of objects in the store. Called at most once.
    package static func unpaired(
        in changes: [ObjectChange], storedRows: ([NSManagedObjectID]) throws -> [Row?]
    ) rethrows -> [Reference] {
        let pairs = writtenPairs(in: changes)
        guard !pairs.isEmpty else { return [] }
        let changesByID = Dictionary(changes.map { ($0.id, $0) }) { $1 }
        // A change of only to-many relationships carries no row.
        let others = Set(pairs.flatMap { [$0.old, $0.new] }.compactMap(\.self)).filter { id in
            changesByID[id].map { $0.kind != .delete && !$0.changesRow } ?? true
        }
        let stored = Dictionary(uniqueKeysWithValues: zip(others, try storedRows(Array(others))))

        /// Returns the destination of a relationship after the save, or `nil` if the object itself no longer exists.
        func partner(of id: NSManagedObjectID, at slot: Int) -> NSManagedObjectID?? {
            let change = changesByID[id]
            if change?.kind == .delete { return .none }
            guard let row = change.flatMap({ $0.changesRow ? $0.row : nil }) ?? stored[id] ?? nil else { return .none }
            return .some(reference(row[slot]))
        }
        var result: [Reference] = []
        for (change, slot, old, new) in pairs {
            let inverse = change.layout.slots[slot].inverse
            if let new, let back = partner(of: new, at: inverse), back != change.id {
                result.append(Reference(source: change.id, slot: slot, target: new))
            }
            if let old, partner(of: old, at: inverse) == .some(change.id) {
                result.append(Reference(source: old, slot: inverse, target: change.id))
            }
        }
        return result
    }

    /// Returns the one-to-one relationships that a save writes, with the new destination, and the old one if it is
    /// another.
    private static func writtenPairs(
        in changes: [ObjectChange]
    ) -> [(change: ObjectChange, slot: Int, old: NSManagedObjectID?, new: NSManagedObjectID?)] {
        var result: [(change: ObjectChange, slot: Int, old: NSManagedObjectID?, new: NSManagedObjectID?)] = []
        for change in changes where change.kind != .delete && !change.layout.pairedSlots.isEmpty {
            for slot in change.layout.pairedSlots where change.kind == .insert || change.changedSlots.contains(slot) {
                let new = reference(change.row[slot])
                let old = change.kind == .update ? change.base.flatMap { reference($0[slot]) } : nil
                if old == nil, new == nil { continue }
                result.append((change, slot, old == new ? nil : old, new))
            }
        }
        return result
    }

    private static func reference(_ value: SlotValue) -> NSManagedObjectID? {
        if case .reference(let id) = value { id } else { nil }
    }
}

extension EntityLayout.Slot {
    /// Whether a store without columns writes a to-many relationship with its owner rather than with its members.
    fileprivate var holdsMembers: Bool { inverse < 0 || inverseIsToMany }
}
