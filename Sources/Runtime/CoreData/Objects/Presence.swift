internal import RuntimeSupport

/// What a context knows about an object's existence: exactly one of these states at any time.
///
/// Derived from the object's flags and its context. Only `enter(_:)`, `become(_:)` and `leaveContext(_:)` change it.
///
/// | from        | to          | by                                                                                       |
/// | ----------- | ----------- | ---------------------------------------------------------------------------------------- |
/// | `outside`   | `saved`     | entering a context, for a row or as the first step of an insertion                       |
/// | `saved`     | `inserted`  | an insertion; a child saves an insertion whose ID was known; a policy restores a row      |
/// | `saved`     | `deleted`   | a deletion here                                                                          |
/// | `saved`     | `gone`      | a read finds no row; a merge brings a deletion                                           |
/// | `inserted`  | `saved`     | a save                                                                                   |
/// | `inserted`  | `scratched` | a deletion here; undo of the insertion                                                   |
/// | `scratched` | `inserted`  | undo of the deletion, or another insertion                                               |
/// | `deleted`   | `saved`     | undo of the deletion, rollback, a policy that keeps the row                              |
/// | `deleted`   | `gone`      | a merge brings the same deletion                                                         |
/// | `gone`      | `saved`     | a fetch delivers the row, a merge brings the insertion, a refresh finds the row          |
/// | any but `outside` | `left` | the deletion is saved, the insertion is discarded, the context is reset or released     |
/// | `left`      | `saved`     | entering a context again, as the first step of an insertion                              |
enum Presence {
    /// In no context yet.
    case outside
    /// In its store or parent, as far as is known, perhaps with unsaved changes.
    case saved
    /// New and not saved yet.
    case inserted
    /// Inserted and deleted since the last save. A save skips it.
    case scratched
    /// To be deleted by the next save.
    case deleted
    /// Without a row in the store or the parent. Stays registered: its context forgets it when it is released, and a
    /// row that appears later is the same object's.
    case gone
    /// In no context any more.
    case left

    /// Returns whether a state may follow this one.
    func canBecome(_ next: Presence) -> Bool {
        switch (self, next) {
        case (.saved, .inserted), (.saved, .deleted), (.saved, .gone): true
        case (.inserted, .saved), (.inserted, .scratched): true
        case (.scratched, .inserted): true
        case (.deleted, .saved), (.deleted, .gone): true
        case (.gone, .saved): true
        case (.outside, .left), (.left, .left): false
        case (_, .left): true
        default: self == next
        }
    }
}

/// Why an object leaves its context.
enum Departure {
    /// Its deletion was saved, or it was inserted and deleted. It keeps its values.
    case deletion
    /// Its insertion was rolled back, or a requested object does not exist.
    case discarded
    /// The context was reset, which has emptied the registry.
    case reset
    /// The context was released.
    case contextReleased
}

extension NSManagedObject {
    /// What the object's context knows about its existence.
    final var presence: Presence {
        guard state.pointee.context != nil else { return state.pointee.registry == nil ? .outside : .left }
        let flags = state.pointee.flags
        if flags.contains(.isGone) { return .gone }
        return switch (flags.contains(.inserted), flags.contains(.deleted)) {
        case (false, false): .saved
        case (true, false): .inserted
        case (true, true): .scratched
        case (false, true): .deleted
        }
    }

    /// Changes the state of an object that stays in its context, and drops the flags that the new state rules out.
    final func become(_ next: Presence) {
        assert(presence.canBecome(next), "\(layout.name) cannot become \(next) from \(presence)")
        switch next {
        case .saved: flags.remove([.inserted, .deleted, .isGone, .isUnreadable, .deletedInEvent, .isReported])
        case .inserted:
            flags.remove([.updated, .deleted, .isGone, .isUnreadable, .deletedInEvent, .isReported])
            flags.insert(.inserted)
        case .scratched: flags.insert([.inserted, .deleted])
        case .deleted: flags.insert(.deleted)
        case .gone:
            unlist()
            flags.remove([.updated, .deletedInEvent, .locked])
            flags.insert([.deleted, .isGone])
        case .outside, .left: assertionFailure("an object leaves its context with leaveContext(_:)")
        }
    }

    /// Removes the object from its context's list of changed objects.
    final func unlist() {
        guard flags.contains(.listed) else { return }
        flags.remove(.listed)
        state.pointee.context?._withUnsafeGuaranteedRef { $0.pending.recordUnlisted() }
    }

    /// Leaves the context. Unless it keeps its values, it also releases other objects.
    final func leaveContext(_ reason: Departure) {
        assert(presence.canBecome(.left), "\(layout.name) cannot leave its context from \(presence)")
        endUse()
        switch reason {
        case .deletion, .discarded:
            unlist()
            state.pointee.registry?._withUnsafeGuaranteedRef { $0.forget(.passUnretained(self)) }
        case .reset, .contextReleased: break
        }
        state.pointee.context = nil
        state.pointee.flags.formIntersection(.shared)
        if reason == .contextReleased { state.pointee.flags.insert(.isOrphaned) }
        // Relationships with an inverse form retain cycles; references that are still in a row do not retain.
        guard reason != .deletion, let slots = state.pointee.slots else { return }
        for index in layout.toOneSlots {
            if let object = slots[index].managedObject { slots[index] = .reference(object.objectID) }
        }
        for index in layout.toManySlots { slots[index] = .null }
        forgetFetched()
    }
}
