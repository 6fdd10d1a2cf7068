internal import Foundation

/// Changes relative to the last fetched or saved values.
extension NSManagedObject {
    /// Records that the object is about to change. Does nothing while values are loaded from a store.
    final func recordChange() {
        // The usual case in a loop of changes: the change is already recorded.
        if state.pointee.flags.contains(.changed) { return }
        guard !state.pointee.flags.contains(.silent) else { return }
        // The context is alive. Retaining it is slow because there are weak references to it.
        state.pointee.context?._withUnsafeGuaranteedRef { $0.recordChange(of: self) }
    }

    /// Returns the slots of persistent properties whose values differ from the snapshot.
    final func changedSlots() -> [Int] {
        guard let slots = loadedSlots else { return [] }
        guard let snapshot else {
            // For a new object, the slots that differ from the defaults.
            return layout.slots.indices.filter { index in
                guard !layout.slots[index].isTransient else { return false }
                switch slots[index] {
                case .many(let members): return members.storage.count > 0
                default: return !slots[index].isEqual(layout.defaults[index])
                }
            }
        }
        guard !flags.isDisjoint(with: [.updated, .deleted]) else { return [] }
        // Values that are the snapshot's have not changed.
        guard let own = slots.own else { return [] }
        // A row always has the slots of its layout. The object retains the snapshot and thus its values.
        let saved = snapshot.fields
        return layout.slots.indices.filter { index in
            guard !layout.slots[index].isTransient else { return false }
            switch layout.slots[index].kind {
            case .attribute, .toOne:
                // Most values are still those that were copied from the snapshot.
                return !saved.isSame(index, as: own + index) && !slots[index].isEqual(saved[index])
            case .toMany:
                guard let storage = slots[index].memberStorage else { return false }
                return storage.isChanged
            case .fetched: return false
            }
        }
    }

    /// Returns the values of slots by property name, with `NSNull` for `nil`.
    final func values(at indices: [Int]) -> [String: Any] {
        Dictionary(uniqueKeysWithValues: indices.map { (layout.slots[$0].name, anyValue(at: $0) ?? NSNull()) })
    }

    /// Returns the snapshot's values by property name.
    final func savedValues(_ keys: [String]?) -> [String: Any] {
        if snapshot == nil, !objectID.isTemporaryID { realize() }
        let indices =
            keys.map { $0.map(slotIndex) }
            ?? layout.slots.indices.filter { !layout.slots[$0].isTransient && layout.slots[$0].kind != .fetched }
        guard let snapshot else { return [:] }
        var result: [String: Any] = [:]
        for index in indices {
            let slot = layout.slots[index]
            switch slot.kind {
            case .attribute: result[slot.name] = snapshot[index].anyValue ?? NSNull()
            case .toOne:
                if case .reference(let id) = snapshot[index], let object = directContext?.object(with: id) {
                    result[slot.name] = object
                } else {
                    result[slot.name] = NSNull()
                }
            case .toMany(let isOrdered):
                let storage = toMany(at: index)
                let members = storage.lastSaved
                result[slot.name] = isOrdered ? NSOrderedSet(array: members) : NSSet(array: members)
            case .fetched: break
            }
        }
        return result
    }

    /// Returns the values as a row for a store, with IDs in place of objects.
    final func row(version: Int) -> Row {
        let slots = realizedSlots()
        var valueCount = 0
        for index in layout.rowSlots where slots.needsSpace(index) { valueCount += 1 }
        return Row.make(count: layout.slots.count, version: version, valueCount: valueCount) { fields in
            for index in layout.rowSlots {
                switch slots[index] {
                case .managed(let reference): fields.set(.reference(reference.object.directID), at: index)
                case .stored(let stored): fields.set(.stored(stored.undecoded), at: index)
                case let value: fields.set(value, at: index)
                }
            }
        }
    }

    /// The values, formatted for a description.
    final var describedValues: String {
        let lines = layout.slots.enumerated().map { index, slot -> String in
            guard let value = loadedSlots?[index] else { return "    \(slot.name) = nil;" }
            let text: String
            switch value {
            case .managed(let reference): text = "\"\(reference.object.directID.uriRepresentation())\""
            case .reference(let id): text = "\"\(id.uriRepresentation())\""
            case .many(let members):
                let ids = members.storage.members.map { "\"\($0.directID.uriRepresentation())\"" }
                text = "(" + ids.joined(separator: ", ") + ")"
            case .null where slot.kind != .toOne && layout.toManySlots.contains(index):
                text = "\"<relationship fault>\""
            default: text = value.anyValue.map { $0 is String ? "\"\($0)\"" : "\($0)" } ?? "nil"
            }
            return "    \(slot.name) = \(text);"
        }
        return "{\n" + lines.sorted().joined(separator: "\n") + "\n}"
    }
}
