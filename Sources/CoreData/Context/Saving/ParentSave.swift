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
        var store: NSPersistentStore?
        var values: [(slot: Int, value: Value)] = []

        enum Value {
            case plain(SlotValue)
            case one(NSManagedObjectID?)
            case many([NSManagedObjectID])
            case changes(added: [NSManagedObjectID], removed: [NSManagedObjectID], order: [NSManagedObjectID]?)
        }
    }

    /// Passes changes to the parent.
    func run(_ objects: [NSManagedObject]) {
        // One visit: the parent's next save replaces temporary IDs.
        child.ask(parent) { receive(objects.map(transfer)) }
        for object in objects where !object.isDeleted { object.snapshot = object.row(version: 1) }
        ContextSave(context: child).finish(objects)
    }

    private func transfer(_ object: NSManagedObject) -> Transfer {
        var transfer = Transfer(
            id: object.objectID, layout: object.layout, isInserted: object.isInserted, isDeleted: object.isDeleted,
            store: child.pending.stores[ObjectIdentifier(object)])
        guard !object.isDeleted, let slots = object.loadedSlots else { return transfer }
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
            case (.toMany, .many(let storage)):
                transfer.values.append((index, members(storage, isNew: object.isInserted)))
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
    private func receive(_ transfers: [Transfer]) {
        for transfer in transfers where transfer.isInserted && parent.registeredObject(for: transfer.id) == nil {
            let object = parent.makeFault(transfer.id)
            object.fillWithDefaults()
            parent.recordEvent(object, isNew: true)
            object.mark([.inserted, .listed])
            parent.pending.list(object)
            if let store = transfer.store { parent.pending.assign(object, to: store) }
        }
        for transfer in transfers where !transfer.isDeleted {
            let object = parent.object(with: transfer.id)
            guard !object.isDeleted else { continue }
            object.realize()
            // The child may know an object that was rolled back there.
            guard !object.isDeleted else { continue }
            object.noteChange()
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

    private func set(_ value: Transfer.Value, at index: Int, of object: NSManagedObject) {
        switch value {
        case .plain(let value):
            if !object.realizedSlots()[index].isEqual(value) { object.setAttribute(value, at: index) }
        case .one(let id):
            guard object.toOneID(at: index) != id else { return }
            object.setToOne(id.flatMap(living), at: index)
        case .many(let ids): setMembers(ids.compactMap(living), at: index, of: object)
        case .changes(let added, let removed, let order):
            let removed = Set(removed)
            var members = object.toMany(at: index).members.filter { !removed.contains($0.objectID) }
            let known = Set(members.map(\.objectID))
            members += added.filter { !known.contains($0) }.compactMap(living)
            if let order { members = members.sorted(byPlaceIn: order) }
            setMembers(members, at: index, of: object)
        }
    }

    private func setMembers(_ members: [NSManagedObject], at index: Int, of object: NSManagedObject) {
        if !object.toMany(at: index).members.elementsEqual(members, by: ===) { object.setToMany(members, at: index) }
    }

    /// Returns the parent's object with an ID, unless it is deleted there.
    private func living(_ id: NSManagedObjectID) -> NSManagedObject? {
        let object = parent.object(with: id)
        if id.isTemporaryID { object.realize() }
        return object.isDeleted ? nil : object
    }
}

extension [NSManagedObject] {
    /// Returns the objects in the order of the IDs; those not among the IDs come last.
    func sorted(byPlaceIn order: [NSManagedObjectID]) -> [NSManagedObject] {
        let places = Dictionary(order.enumerated().map { ($1, $0) }) { first, _ in first }
        return enumerated().sorted { one, other in
            let (a, b) = (places[one.element.objectID] ?? .max, places[other.element.objectID] ?? .max)
            return a == b ? one.offset < other.offset : a < b
        }.map(\.element)
    }
}
