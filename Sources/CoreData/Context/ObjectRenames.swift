/// Which permanent IDs took the place of which temporary ones. Child contexts know objects by temporary IDs when their parent is
/// saved; they take the new IDs over the next time they ask the parent for something.
struct ObjectRenames {
    private var table: [NSManagedObjectID: NSManagedObjectID] = [:]
    private var log: [(old: NSManagedObjectID, new: NSManagedObjectID)] = []
    /// How many entries of the parent's log are taken over.
    private var adopted = 0

    subscript(id: NSManagedObjectID) -> NSManagedObjectID? {
        id.isTemporaryID && !table.isEmpty ? table[id] : nil
    }

    mutating func add(_ old: NSManagedObjectID, _ new: NSManagedObjectID) {
        table[old] = new
        log.append((old, new))
    }

    /// The parent's entries that are not taken over yet.
    mutating func news(of parent: ObjectRenames) -> ArraySlice<(old: NSManagedObjectID, new: NSManagedObjectID)> {
        let news = parent.log.dropFirst(adopted)
        adopted = parent.log.count
        return news
    }

    /// Forgets what no child can ask for: there is none.
    mutating func removeAll() {
        table = [:]
        log = []
    }
}

extension NSManagedObjectContext {
    /// Asks the parent for something on its queue.
    final func ask<Result>(
        _ parent: NSManagedObjectContext, _ body: () throws -> Result
    ) rethrows -> Result {
        try parent.performAndWait {
            let news = renames.news(of: parent.renames)
            for rename in news {
                if let object = registry[rename.old] {
                    setID(rename.new, of: object)
                } else {
                    renames.add(rename.old, rename.new)
                }
            }
            if !news.isEmpty { for object in registry.objects { object.adopt(renames) } }
            return try body()
        }
    }
}

extension NSManagedObject {
    /// Replaces temporary IDs in values that are not looked up yet, and in the snapshot, so that they still are equal.
    fileprivate final func adopt(_ renames: ObjectRenames) {
        func new(_ value: SlotValue) -> SlotValue? {
            guard case .reference(let id) = value else { return nil }
            return renames[id].map { .reference($0) }
        }
        if let slots = loadedSlots {
            for index in layout.toOneSlots { if let value = new(slots[index]) { ownSlots()[index] = value } }
        }
        guard let snapshot,
            layout.toOneSlots.contains(where: { new(snapshot[$0]) != nil })
        else { return }
        self.snapshot = Row.make(snapshot.values.map { new($0) ?? $0 }, version: snapshot.version)
    }
}
