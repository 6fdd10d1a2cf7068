internal import Foundation
internal import RuntimeSupport

/// Primitive values, and the changes that custom accessors make with them.
extension NSManagedObject {
    final func primitiveValue(at index: Int) -> Any? {
        guard case .toMany = layout.slots[index].kind else { return anyValue(at: index) }
        return toMany(at: index).primitiveCollection
    }

    /// Begins a change of a property by a custom accessor.
    final func beginManualChange(of key: String, _ difference: MemberDifference?) {
        observers?.willChange(key, difference)
        guard let index = layout.index(of: key) else { return }
        recordManualChange(at: index)
    }

    /// Ends a change of a property by a custom accessor.
    final func endManualChange(of key: String) {
        if let index = layout.index(of: key) { finishManualChange(at: index) }
        observers?.didChange(key)
    }

    /// Returns the effect of a set mutation on a relationship, for observers.
    final func difference(
        _ key: String, kind: NSKeyValueSetMutationKind, objects: Set<AnyHashable>
    ) -> MemberDifference? {
        guard observers != nil, let index = layout.index(of: key), case .toMany = layout.slots[index].kind else {
            return nil
        }
        let storage = toMany(at: index)
        let given = objects.compactMap { $0.base as? NSManagedObject }
        switch kind {
        case .union:
            return MemberDifference(kind: .insertion, objects: given.filter { !storage.contains($0) }, isOrdered: false)
        case .minus: return MemberDifference(kind: .removal, objects: given.filter(storage.contains), isOrdered: false)
        case .intersect:
            return MemberDifference(
                kind: .removal, objects: storage.members.filter { !objects.contains($0) }, isOrdered: false)
        case .set: return nil
        }
    }

    /// Sets a primitive value, without updating the inverse or recording a change.
    final func setPrimitive(_ value: Any?, at index: Int) {
        let slots = writableSlots()
        let slot = layout.slots[index]
        let value = Unwrapping.value(value)
        switch slot.kind {
        case .attribute(let type): slots[index] = converted(value, type: type, slot: slot)
        case .toOne: slots[index] = object(value, slot).map { .managed($0) } ?? .null
        case .toMany(let isOrdered):
            slots[index] = .many(ToManyStorage(isOrdered: isOrdered, objects(value, slot)))
        case .fetched: break
        }
    }

    /// Records the value of a relationship before a custom accessor sets it.
    final func recordManualChange(at index: Int) {
        realize()
        recordChange()
        switch layout.slots[index].kind {
        case .toOne:
            directContext?.pending.manual[ManualChange(self, index)] = ToManyStorage(
                isOrdered: false, toOne(at: index).map { [$0] } ?? [])
        case .toMany:
            let storage = toMany(at: index)
            storage.forgetPrimitiveCollection()
            directContext?.pending.manual[ManualChange(self, index)] = storage.copy()
        default: break
        }
    }

    /// Updates the inverse of a relationship that a custom accessor has set.
    final func finishManualChange(at index: Int) {
        guard let context = directContext,
            let old = context.pending.manual.removeValue(forKey: ManualChange(self, index))
        else { return }
        let slots = writableSlots()
        switch layout.slots[index].kind {
        case .toOne:
            let new = toOne(at: index)
            guard new !== old.members.first else { return }
            slots[index] = old.members.first.map { .managed($0) } ?? .null
            setToOne(new, at: index)
        case .toMany:
            let new = toMany(at: index).takePrimitiveCollection()
            // The old storage also holds the members saved last.
            slots[index] = .many(old)
            setToMany(new, at: index)
        default: break
        }
    }
}

/// A relationship that a custom accessor is changing.
struct ManualChange: Hashable {
    private let object: ObjectIdentifier
    private let index: Int

    init(_ object: NSManagedObject, _ index: Int) {
        self.object = ObjectIdentifier(object)
        self.index = index
    }
}
