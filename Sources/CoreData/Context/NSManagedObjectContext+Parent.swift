internal import Foundation

/// Saving to a parent context: its objects get the changes, and its own save brings them further.
extension NSManagedObjectContext {
    /// An object's values for another context: objects become IDs.
    private struct Transfer: @unchecked Sendable {
        var id: NSManagedObjectID
        var layout: EntityLayout
        var isInserted: Bool
        var isDeleted: Bool
        var values: [(slot: Int, value: Value)] = []

        enum Value {
            case plain(SlotValue)
            case one(NSManagedObjectID?)
            case many([NSManagedObjectID])
        }
    }

    /// Hands changes to the parent.
    final func save(_ objects: [NSManagedObject], to parent: NSManagedObjectContext) throws {
        let transfers = objects.map(transfer)
        parent.performAndWait { parent.receive(transfers) }
        for object in objects where !object.isDeleted { object.state.pointee.snapshot = object.row(version: 1) }
        finishSave(objects)
    }

    private final func transfer(_ object: NSManagedObject) -> Transfer {
        var transfer = Transfer(
            id: object.objectID, layout: object.layout, isInserted: object.isInserted, isDeleted: object.isDeleted)
        guard !object.isDeleted, let slots = object.state.pointee.slots else { return transfer }
        // Transient values are values too: the parent shows what the child showed.
        for index in object.layout.slots.indices {
            switch object.layout.slots[index].kind {
            case .attribute: transfer.values.append((index, .plain(slots[index])))
            case .toOne: transfer.values.append((index, .one(object.toOneID(at: index))))
            case .toMany:
                guard case .many(let storage) = slots[index], object.isInserted || storage.isChanged else { continue }
                transfer.values.append((index, .many(storage.members.map(\.objectID))))
            case .fetched: break
            }
        }
        return transfer
    }

    /// Takes over what a child has saved.
    private final func receive(_ transfers: [Transfer]) {
        for transfer in transfers where transfer.isInserted && registeredObject(for: transfer.id) == nil {
            let object = makeFault(transfer.id)
            object.fillWithDefaults()
            recordEvent(object, isNew: true)
            object.flags.insert([.inserted, .listed])
            changed.append(object)
        }
        for transfer in transfers where !transfer.isDeleted {
            let object = object(with: transfer.id)
            guard !object.isDeleted else { continue }
            object.realize()
            object.noteChange()
            for (index, value) in transfer.values { set(value, at: index, of: object) }
        }
        for transfer in transfers where transfer.isDeleted {
            let object = object(with: transfer.id)
            guard !object.isDeleted else { continue }
            markDeleted(object)
            // The child has applied its rules; ours find nothing more to do, or what only we know of.
        }
        processChanges()
    }

    private final func set(_ value: Transfer.Value, at index: Int, of object: NSManagedObject) {
        switch value {
        case .plain(let value):
            if !object.realizedSlots()[index].isEqual(value) { object.setAttribute(value, at: index) }
        case .one(let id):
            guard object.toOneID(at: index) != id else { return }
            object.setToOne(id.map { self.object(with: $0) }, at: index)
        case .many(let ids):
            let members = ids.map { self.object(with: $0) }.filter { !$0.isDeleted }
            if !object.toMany(at: index).members.elementsEqual(members, by: ===) {
                object.setToMany(members, at: index)
            }
        }
    }
}
