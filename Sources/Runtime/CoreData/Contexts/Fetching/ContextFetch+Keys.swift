internal import Foundation

/// Numbers and IDs of results, found without the values of the objects where the stores can leave out those with
/// unsaved changes, which contexts match themselves.
extension ContextFetch {
    /// Returns the number of results, or `nil` if values are needed to count them.
    func keyCount(_ pending: [NSManagedObject]) throws -> Int? {
        guard isIndirect(pending) else { return nil }
        let (source, matching) = unsaved(pending)
        guard let saved = try savedCount(source) else { return nil }
        let rest = max(0, saved + matching.count - max(0, request.fetchOffset))
        return request.fetchLimit > 0 ? min(rest, request.fetchLimit) : rest
    }

    /// Returns the IDs of the results, or `nil` if values are needed to find or sort them.
    func keys(_ pending: [NSManagedObject]) throws -> [NSManagedObjectID]? {
        guard isIndirect(pending) else { return nil }
        let (source, matching) = unsaved(pending)
        let isSorted = request.sortDescriptors?.isEmpty == false
        let search = makeSearch()
        let merges = isSorted && !matching.isEmpty
        guard !merges || canMerge(matching.count, search.sortKeys),
            let saved = try savedKeys(source, isSorted: isSorted),
            let all = merges ? merged(matching, into: saved, search.sortKeys) : saved + matching.map(\.objectID)
        else { return nil }
        let rest = all.dropFirst(max(0, request.fetchOffset))
        return Array(request.fetchLimit > 0 ? rest.prefix(request.fetchLimit) : rest)
    }

    /// Whether searching for the positions of unsaved objects reads less than all rows do.
    private func canMerge(_ count: Int, _ keys: [SortKey]) -> Bool {
        let stores = context.persistentStoreCoordinator?.stores(of: request) ?? []
        return count <= (stores.contains { $0.engine.traits.contains(.remote) } ? 8 : 100)
            && keys.allSatisfy(\.isAttribute)
    }

    /// Returns sorted IDs with those of unsaved objects at their positions, which are searched for with the values of
    /// few saved objects; `nil` if one of these cannot be read.
    private func merged(
        _ unsaved: [NSManagedObject], into saved: [NSManagedObjectID], _ keys: [SortKey]
    ) -> [NSManagedObjectID]? {
        func order(_ objects: [NSManagedObject]) -> [Int] {
            var table = SortTable(keys)
            table.append(objects)
            return table.sortedIndices()
        }
        var result: [NSManagedObjectID] = []
        var rest = saved[...]
        for object in order(unsaved).map({ unsaved[$0] }) {
            // After saved objects with equal values, as in a fetch of objects.
            var (low, high) = (rest.startIndex, rest.endIndex)
            while low < high {
                let middle = low + (high - low) / 2
                // The fetch of all rows reports why one cannot be read, and leaves out a deleted one.
                guard let other = try? context.loadedObject(rest[middle]) else { return nil }
                if order([other, object])[0] == 0 {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            result += rest[..<low]
            result.append(object.objectID)
            rest = rest[low...]
        }
        return result + rest
    }

    /// Whether the answer of a single store is not the answer.
    private func isIndirect(_ pending: [NSManagedObject]) -> Bool {
        guard context.parent == nil, let coordinator = context.rootCoordinator else { return context.parent != nil }
        return !pending.isEmpty || !request.excluded.isEmpty || coordinator.stores(of: request).count > 1
    }

    /// Returns the request for the saved objects, without those that this context matches, and the unsaved ones that
    /// match.
    private func unsaved(_ pending: [NSManagedObject]) -> (source: FetchSettings, matching: [NSManagedObject]) {
        // Objects may have new IDs in the parent.
        if let parent = context.parent { context.ask(parent) {} }
        var source = request
        source.setBound(of: request, removals: 0)
        source.excluded += pending.lazy.filter { !$0.isMarkedInserted }.map(\.directID)
        let excluded = Set(request.excluded)
        return (
            source, makeSearch().matching(pending.filter { !$0.isMarkedDeleted && !excluded.contains($0.directID) })
        )
    }

    private func savedCount(_ source: FetchSettings) throws -> Int? {
        if let parent = context.parent {
            return try askParent(parent, source: source) { try $0.countForChild() }
        }
        let answers = try answers(source, type: .countResultType) { answer -> Int? in
            if case .count(let count) = answer.content { count } else { nil }
        }
        return answers?.reduce(0, +)
    }

    private func savedKeys(_ source: FetchSettings, isSorted: Bool) throws -> [NSManagedObjectID]? {
        if let parent = context.parent {
            return try askParent(parent, source: source) { try $0.keysForChild() }
        }
        let answers = try answers(source, type: .managedObjectIDResultType) { answer -> [NSManagedObjectID]? in
            guard !isSorted || !answer.remaining.contains(.order) else { return nil }
            switch answer.content {
            case .ids(let ids) where answer.remaining.isEmpty: return ids
            case .memoryObjects(let objects) where !answer.remaining.contains(.predicate): return objects.map(\.id)
            default: return nil
            }
        }
        guard let answers, answers.count == 1 || !isSorted else { return nil }
        return answers.flatMap(\.self)
    }

    private func countForChild() throws -> Int? {
        context.processChangesBeforeFetch()
        let pending = unsavedObjects()
        return try isIndirect(pending) ? keyCount(pending) : count()
    }

    private func keysForChild() throws -> [NSManagedObjectID]? {
        context.processChangesBeforeFetch()
        let pending = unsavedObjects()
        return try isIndirect(pending) ? keys(pending) : ids()
    }

    /// Asks the parent, including its unsaved changes.
    private func askParent<Result>(
        _ parent: NSManagedObjectContext, source: FetchSettings, body: (ContextFetch) throws -> Result?
    ) throws -> Result? {
        try context.ask(parent) {
            var source = source
            source.includesPendingChanges = true
            source.excluded = source.excluded.map { parent.renames[$0] ?? $0 }
            return try body(ContextFetch(source, parent))
        }
    }

    /// Returns a part of each store's answer, or `nil` if a store does not have it.
    private func answers<Part>(
        _ source: FetchSettings, type: NSFetchRequestResultType, part: (StoreAnswer) -> Part?
    ) throws -> [Part]? {
        guard let coordinator = context.rootCoordinator else { return nil }
        var source = source
        source.resultType = type
        let search = FetchSearch(settings: source, layout: layout, layouts: layouts)
        return try coordinator.lock.withLock {
            var parts: [Part] = []
            for store in coordinator.stores(of: request) {
                guard store.engine.traits.contains(.excludesObjects),
                    let found = try coordinator.fetch(search, from: store, for: context, part)
                else { return nil }
                parts.append(found)
            }
            return parts
        }
    }
}
