internal import Foundation

/// A save to a parent context: its objects get the changes, and its own save passes them on.
struct ParentSave {
    let child: NSManagedObjectContext
    let parent: NSManagedObjectContext

    /// An object's values as passed to another context, with IDs in place of objects.
    private struct Transfer: @unchecked Sendable {
        var id: NSManagedObjectID
        var layout: EntityLayout
        var isInserted: Bool
        var isDeleted: Bool
        /// The store that a new object was assigned to.
        var store: AnyObject?
        var values: [(slot: Int, value: Value)] = []

        enum Value {
            case plain(SlotValue)
            case one(NSManagedObjectID?)
            case many([NSManagedObjectID])
            case changes(added: [NSManagedObjectID], removed: [NSManagedObjectID], order: [NSManagedObjectID]?)
        }

        /// The objects that changed relationships lead to.
        var referencedIDs: [NSManagedObjectID] {
            values.flatMap { _, value -> [NSManagedObjectID] in
                switch value {
                case .plain: []
                case .one(let id): id.map { [$0] } ?? []
                case .many(let ids): ids
                case .changes(let added, _, _): added
                }
            }
        }

        /// Whether the object only loses relationships.
        var isWithdrawal: Bool {
            values.allSatisfy { _, value in
                switch value {
                case .plain, .many: false
                case .one(let id): id == nil
                case .changes(let added, _, _): added.isEmpty
                }
            }
        }
    }

    /// Objects that the changes are about and that the parent no longer has.
    private struct MissingObjects: Error {
        /// The indices of the transfers that cannot be applied.
        var transfers: [Int] = []
        var ids: [NSManagedObjectID] = []
    }

    /// Passes changes to the parent. The caller ends the save.
    ///
    /// - Throws: An `NSError` of Cocoa's domain with the code 133000 if the parent has deleted, rolled back or reset an
    ///   object that was changed here or is referred to. Both contexts are then unchanged.
    func run(_ objects: [NSManagedObject]) throws {
        // One visit: the parent's next save replaces temporary IDs.
        do {
            try child.ask(parent) { try receive(objects.map(transfer)) }
        } catch let missing as MissingObjects {
            let names = missing.ids.prefix(3).map { $0.uriRepresentation().absoluteString }
            let others = missing.ids.count > names.count ? " and \(missing.ids.count - names.count) more" : ""
            throw CoreDataError.error(
                .managedObjectReferentialIntegrity,
                text: "the changes are not saved because the parent context has deleted or discarded "
                    + "\(names.joined(separator: ", "))\(others); roll back or delete the affected objects",
                userInfo: [NSAffectedObjectsErrorKey: missing.transfers.map { objects[$0] }])
        }
        for object in objects where !object.isDeleted { object.snapshot = object.row(version: 1) }
    }

    private func transfer(_ object: NSManagedObject) throws -> Transfer {
        try object.checkReadable()
        var transfer = Transfer(
            id: object.objectID, layout: object.layout, isInserted: object.isInserted,
            isDeleted: object.presence == .deleted, store: child.pending.stores[ObjectIdentifier(object)])
        guard !transfer.isDeleted, let slots = object.loadedSlots else { return transfer }
        // Values that only the parent has changed stay as they are there. Transient values are passed too, so that the
        // parent shows what the child showed. A child does not get them from its parent, so those equal to their
        // defaults were not set here.
        let changed = object.isInserted ? Set(object.layout.slots.indices) : Set(object.changedSlots())
        for index in object.layout.slots.indices
        where changed.contains(index)
            || object.layout.slots[index].isTransient && !slots[index].isEqual(object.layout.defaults[index])
        {
            switch (object.layout.slots[index].kind, slots[index]) {
            // Each context decodes a stored value for itself.
            case (.attribute, .stored(let stored)): transfer.values.append((index, .plain(.stored(stored.undecoded))))
            case (.attribute, let value): transfer.values.append((index, .plain(value)))
            case (.toOne, _): transfer.values.append((index, .one(object.toOneID(at: index))))
            case (.toMany, .many(let list)):
                transfer.values.append((index, members(list.storage, isNew: object.isInserted)))
            case (.toMany, _), (.fetched, _): break
            }
        }
        return transfer
    }

    private func members(_ storage: ToManyStorage, isNew: Bool) -> Transfer.Value {
        let members = storage.members.map(\.objectID)
        guard !isNew else { return .many(members) }
        let changes = storage.changes
        return .changes(
            added: changes.added.map(\.objectID), removed: changes.removed.map(\.objectID),
            order: storage.isOrdered ? members : nil)
    }

    /// Applies to the parent what the child saves. Called on the parent's queue.
    private func receive(_ transfers: [Transfer]) throws {
        let dropped = try check(transfers)
        for transfer in transfers where transfer.isInserted { insert(transfer) }
        for (index, transfer) in transfers.enumerated() where !transfer.isDeleted && !dropped.contains(index) {
            let object = parent.object(with: transfer.id)
            object.realize()
            object.recordChange()
            for (index, value) in transfer.values { set(value, at: index, of: object) }
        }
        for transfer in transfers where transfer.isDeleted {
            let object = parent.object(with: transfer.id)
            guard !object.isDeleted else { continue }
            parent.markDeleted(object)
            // The child has applied its delete rules; the rules here only affect relationships that the child does not
            // know.
        }
        parent.processChanges()
    }

    /// Inserts an object that the child has inserted.
    private func insert(_ transfer: Transfer) {
        // There is one already if its ID was used before the object arrived.
        let object = parent.registeredObject(for: transfer.id) ?? parent.makeFault(transfer.id)
        guard !object.isMarkedInserted else { return parent.undelete(object) }
        // A row is not expected.
        object.flags.remove(.isUnreadable)
        parent.revive(object)
        object.forgetValues()
        object.fillWithDefaults()
        parent.recordEvent(object, isNew: true)
        object.become(.inserted)
        object.mark(.listed)
        parent.pending.list(object)
        if let store = transfer.store { parent.pending.assign(object, to: store) }
    }

    // MARK: Objects that the parent does not have

    /// Checks that the parent has the objects that the child has changed and those that it refers to, before anything
    /// changes.
    ///
    /// - Returns: The indices of the transfers that only undo relationships of objects that the parent does not
    ///   have.
    private func check(_ transfers: [Transfer]) throws -> Set<Int> {
        let new = Set(transfers.lazy.filter(\.isInserted).map(\.id))
        // Retained until the end, so that what was found to have no row is not taken for a fault again.
        let changed = transfers.filter { !$0.isInserted }.map { parent.object(with: $0.id) }
        defer { withExtendedLifetime(changed) {} }
        try parent.realize(changed)
        for (object, transfer) in zip(changed, transfers.lazy.filter { !$0.isInserted }) where transfer.isDeleted {
            // What was missing or unreadable when it was read may be in the store by now.
            if object.canRevive, try parent.reviveIfStored(object) { object.realize() }
            try object.checkReadable()
        }
        var dropped: Set<Int> = []
        var missing = MissingObjects()
        var seen: Set<NSManagedObjectID> = []
        for (index, transfer) in transfers.enumerated() where !transfer.isDeleted {
            var ids = transfer.referencedIDs.filter { !new.contains($0) && !hasObject($0) }
            if !transfer.isInserted, !hasObject(transfer.id) {
                if transfer.isWithdrawal { dropped.insert(index) } else { ids.append(transfer.id) }
            }
            guard !ids.isEmpty else { continue }
            missing.transfers.append(index)
            missing.ids += ids.filter { seen.insert($0).inserted }
        }
        guard missing.transfers.isEmpty else { throw missing }
        return dropped
    }

    private func hasObject(_ id: NSManagedObjectID) -> Bool {
        let object = parent.object(with: id)
        // Objects that only the parent knows can be looked up nowhere else.
        if id.isTemporaryID { object.realize() }
        // What cannot be read now may exist: the parent's own save reports it.
        if object.flags.contains(.isUnreadable) { return true }
        if object.presence == .gone { return (try? parent.reviveIfStored(object)) ?? true }
        return !object.isMarkedDeleted
    }

    private func set(_ value: Transfer.Value, at index: Int, of object: NSManagedObject) {
        switch value {
        case .plain(let value):
            if !object.realizedSlots()[index].isEqual(value) { object.setAttribute(value, at: index) }
        case .one(let id):
            guard object.toOneID(at: index) != id else { return }
            object.setToOne(id.map(parent.object), at: index)
        case .many(let ids): setMembers(ids.map(parent.object), at: index, of: object)
        case .changes(let added, let removed, let order):
            let removed = Set(removed)
            var members = object.toMany(at: index).members.filter { !removed.contains($0.objectID) }
            let listed = Set(members.map(\.objectID))
            members += added.filter { !listed.contains($0) }.map(parent.object)
            if let order { members = members.sorted(byPositionIn: order) }
            setMembers(members, at: index, of: object)
        }
    }

    private func setMembers(_ members: [NSManagedObject], at index: Int, of object: NSManagedObject) {
        if !object.toMany(at: index).members.elementsEqual(members, by: ===) { object.setToMany(members, at: index) }
    }
}

extension [NSManagedObject] {
    /// Returns the objects in the order of the IDs; those not among the IDs come last.
    func sorted(byPositionIn order: [NSManagedObjectID]) -> [NSManagedObject] {
        let positions = Dictionary(order.enumerated().map { ($1, $0) }) { first, _ in first }
        return enumerated().sorted { one, other in
            let (a, b) = (positions[one.element.objectID] ?? .max, positions[other.element.objectID] ?? .max)
            return a == b ? one.offset < other.offset : a < b
        }.map(\.element)
    }
}
