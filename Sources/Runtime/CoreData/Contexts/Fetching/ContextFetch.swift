internal import Foundation
internal import RuntimeSupport

/// One fetch of a context: the answers of its stores or of its parent, completed with the objects that have unsaved
/// changes.
///
/// A single store executes the whole request if no unsaved object can be among the results. Otherwise each store
/// executes its part, and order, offset and limit are applied here. Confined to the queue of the context.
struct ContextFetch {
    let context: NSManagedObjectContext
    let request: FetchSettings
    let layout: EntityLayout
    let layouts: [EntityLayout]

    /// Prepares a request. Traps if it has no entity, or one that is not in the context's model.
    init(_ request: FetchSettings, _ context: NSManagedObjectContext) {
        self.context = context
        layout = context.layout(of: request)
        layouts =
            context.persistentStoreCoordinator?.layouts(
                below: layout, includesSubentities: request.includesSubentities) ?? [layout]
        var request = request
        request.entity = layout.entity
        self.request = request
    }

    /// The results in the form in which they were found.
    private enum Outcome {
        case count(Int)
        case ids([NSManagedObjectID])
        case results(FetchResults)
    }

    /// An answer converted to objects of the context.
    private struct Part {
        var results: FetchResults
        var remaining: StoreAnswer.Remaining
    }

    // MARK: Results

    /// Returns the objects, in order.
    func objects() throws -> [NSManagedObject] {
        let results = try results()
        let objects = results.objects(in: context)
        // Objects of an in-memory store are made only now.
        if !results.areAllNew { context.revive(found: objects) }
        return objects
    }

    /// Returns the IDs of the objects, in order.
    func ids() throws -> [NSManagedObjectID] {
        switch try outcome(.managedObjectIDResultType) {
        case .ids(let ids): ids
        case .results(let results): results.ids
        case .count: []
        }
    }

    /// Returns the number of results.
    func count() throws -> Int {
        switch try outcome(.countResultType) {
        case .count(let count): count
        case .ids(let ids): ids.count
        case .results(let results): results.count
        }
    }

    private func results() throws -> FetchResults {
        guard case .results(let results) = try outcome(.managedObjectResultType) else { return FetchResults() }
        return results
    }

    private func outcome(_ type: NSFetchRequestResultType) throws -> Outcome {
        if request.includesPendingChanges { context.processChangesBeforeFetch() }
        let pending = request.includesPendingChanges ? unsavedObjects() : []
        switch type {
        case .countResultType: if let count = try keyCount(pending) { return .count(count) }
        case .managedObjectIDResultType: if let ids = try keys(pending) { return .ids(ids) }
        default: break
        }
        if context.parent != nil { return .results(try resultsFromParent(pending)) }
        guard let coordinator = context.rootCoordinator else {
            return .results(try combine([], pending: pending, search: makeSearch()))
        }
        let stores = coordinator.stores(of: request)
        guard stores.count == 1, pending.isEmpty else {
            return .results(try results(stores, pending: pending, coordinator: coordinator))
        }
        return try outcome(type, store: stores[0], coordinator: coordinator)
    }

    /// Returns the objects with unsaved changes, including deleted ones, that the request may cover.
    func unsavedObjects() -> [NSManagedObject] {
        let objects = context.pending.objects
        guard !objects.isEmpty else { return [] }
        WorkCount.record(objects.count)
        let requested = Set(layouts.map { ObjectIdentifier($0) })
        return objects.filter { object in
            guard requested.contains(ObjectIdentifier(object.layout)) else { return false }
            guard let stores = request.affectedStores, !object.isMarkedInserted else { return true }
            return stores.contains { $0 === object.directID.persistentStore }
        }
    }

    /// Returns the number of results of a store or the parent that unsaved changes may remove.
    private func removals(_ pending: [NSManagedObject]) -> Int {
        pending.reduce(0) { $0 + ($1.isMarkedInserted ? 0 : 1) }
    }

    /// Returns the request, or a variant of it, for a store.
    func makeSearch(changing change: (inout FetchSettings) -> Void = { _ in }) -> FetchSearch {
        var settings = request
        settings.resultType = .managedObjectResultType
        change(&settings)
        return FetchSearch(settings: settings, layout: layout, layouts: layouts)
    }

    // MARK: One store

    /// Returns the results of the only store.
    private func outcome(
        _ type: NSFetchRequestResultType, store: NSPersistentStore, coordinator: NSPersistentStoreCoordinator
    ) throws -> Outcome {
        let search = makeSearch { $0.resultType = type }
        var part = Part(results: FetchResults(), remaining: [])
        let outcome: Outcome? = try coordinator.fetch(search, from: store, for: context) { answer in
            switch answer.content {
            case .count(let count): return .count(count)
            case .ids(let ids) where answer.remaining.isEmpty && type != .managedObjectResultType: return .ids(ids)
            default:
                part = try self.part(answer)
                if part.remaining.contains(.order) { part.results.takeSortValues(search.sortKeys) }
                return nil
            }
        }
        if let outcome { return outcome }
        if needsSavedValues(part, part.remaining) { return .results(try resultsBySavedValues()) }
        return .results(complete(part, search))
    }

    /// Returns an answer with objects of the context in place of rows and IDs. Called while the answer is valid.
    private func part(_ answer: StoreAnswer) throws -> Part {
        var part = Part(results: FetchResults(), remaining: answer.remaining)
        switch answer.content {
        case .count, .dictionaries: break
        case .ids(let ids):
            withExtendedLifetime(answer.keepAlive) { part.results.objects = ids.map { context.object(with: $0) } }
        case .rows(let rows): part.results = try context.makeObjects(for: rows)
        case .memoryObjects(let objects): part.results.memoryObjects = objects
        }
        return part
    }

    /// Applies the remaining parts of the request to the objects of an answer.
    private func complete(_ part: Part, _ search: FetchSearch) -> FetchResults {
        var results = part.results
        if !results.areAllNew || part.remaining.contains(.predicate) {
            results.objects = requested(results.objects, remaining: part.remaining, search: search)
        }
        if part.remaining.contains(.order) { results.sort(by: search.sortKeys) }
        if part.remaining.contains(.range) { results.applyRange(of: request) }
        return results
    }

    /// Returns the objects that match, without deleted ones if unsaved changes count.
    private func requested(
        _ objects: [NSManagedObject], remaining: StoreAnswer.Remaining, search: FetchSearch
    ) -> [NSManagedObject] {
        var objects = objects
        context.revive(found: objects)
        if request.includesPendingChanges, !objects.allSatisfyUncounted({ !$0.isMarkedDeleted }) {
            objects.removeAll { $0.isMarkedDeleted }
        }
        return remaining.contains(.predicate) ? search.matching(objects) : objects
    }

    // MARK: Several stores, unsaved changes

    /// Returns the results of several stores and the unsaved objects that match.
    private func results(
        _ stores: [NSPersistentStore], pending: [NSManagedObject], coordinator: NSPersistentStoreCoordinator
    ) throws -> FetchResults {
        let search = makeSearch {
            $0.setBound(of: request, removals: removals(pending))
            $0.excluded += pending.lazy.filter { !$0.isMarkedInserted }.map(\.directID)
        }
        var parts: [Part] = []
        var stored = FetchResults()
        try coordinator.lock.withLock {
            for store in stores {
                var part = try coordinator.fetch(search, from: store, for: context, self.part)
                stored.memoryObjects += part.results.memoryObjects
                part.results.memoryObjects = []
                parts.append(part)
            }
            stored.takeSortValues(search.sortKeys)
        }
        return try combine(parts, pending: pending, search: search, stored: stored)
    }

    /// Combines the stores' results with the unsaved objects that match, in one order.
    private func combine(
        _ parts: [Part], pending: [NSManagedObject], search: FetchSearch, stored: FetchResults = FetchResults()
    ) throws -> FetchResults {
        if parts.contains(where: { needsSavedValues($0, $0.remaining.union(search.clauses.subtracting(.predicate))) }) {
            return try resultsBySavedValues()
        }
        var results = stored
        let pendingObjects = Set(pending.map { ObjectIdentifier($0) })
        for part in parts {
            var objects = part.results.objects
            if !pendingObjects.isEmpty { objects.removeAll { pendingObjects.contains(ObjectIdentifier($0)) } }
            results.objects += requested(objects, remaining: part.remaining, search: search)
        }
        results.objects += search.matching(pending.filter { !$0.isMarkedDeleted })
        results.sort(by: search.sortKeys)
        results.applyRange(of: request)
        return results
    }

    // MARK: Saved values

    /// Returns whether the rest of the request must be decided by saved values, which the context's objects may not
    /// have.
    private func needsSavedValues(_ part: Part, _ remaining: StoreAnswer.Remaining) -> Bool {
        !request.includesPendingChanges && !part.results.objects.isEmpty
            && !remaining.isDisjoint(with: [.predicate, .order]) && context.hasChanges
    }

    /// Finds the objects whose saved values match, in the order of their saved values, with a context that has no
    /// changes.
    private func resultsBySavedValues() throws -> FetchResults {
        let other = context.reader()
        let ids = try other.performAndWait { try ContextFetch(request, other).ids() }
        return FetchResults(objects: ids.map { context.object(with: $0) })
    }

    // MARK: The parent

    /// Returns what the parent finds, with its own unsaved changes, and the unsaved objects of this context that match.
    private func resultsFromParent(_ pending: [NSManagedObject]) throws -> FetchResults {
        guard !pending.isEmpty else { return FetchResults(objects: try objectsOfParent(request)) }
        var bounded = request
        bounded.setBound(of: request, removals: removals(pending))
        // The order is that of this context's values, unless the parent's decides which objects it returns.
        if bounded.fetchLimit == 0 { bounded.sortDescriptors = nil }
        let objects = try objectsOfParent(bounded)
        return try combine(
            [Part(results: FetchResults(objects: objects), remaining: [])], pending: pending, search: makeSearch())
    }

    private func objectsOfParent(_ request: FetchSettings) throws -> [NSManagedObject] {
        guard let parent = context.parent else { return [] }
        return try context.ask(parent) { () throws -> [NSManagedObjectID] in
            var request = request
            request.includesPendingChanges = true
            return try ContextFetch(request, parent).results().ids
        }.map { context.object(with: $0) }
    }

    // MARK: Dictionaries

    /// Returns dictionaries of saved values: unsaved changes are ignored, as Apple documents for
    /// `includesPendingChanges`.
    func dictionaries() throws -> [AnyObject] {
        if let parent = context.parent {
            // The root's generation is read.
            let request = SendableBox(request)
            return try context.ask(parent) { SendableBox(try ContextFetch(request.value, parent).dictionaries()) }.value
        }
        guard let coordinator = context.persistentStoreCoordinator else { return [] }
        let stores = coordinator.stores(of: request)
        let search = makeSearch { settings in
            settings.includesPendingChanges = false
            guard stores.count != 1 else { return settings.resultType = .dictionaryResultType }
            // The limit counts dictionaries.
            settings.fetchLimit = 0
            settings.fetchOffset = 0
        }
        var candidates: [(ids: [NSManagedObjectID], remaining: StoreAnswer.Remaining)] = []
        let dictionaries: [AnyObject]? = try coordinator.lock.withLock {
            var results = FetchResults()
            for store in stores {
                let found = try coordinator.fetch(search, from: store, for: context) { answer -> [AnyObject]? in
                    switch answer.content {
                    case .dictionaries(let dictionaries): return dictionaries
                    case .memoryObjects(let objects): results.memoryObjects += objects
                    default: candidates.append((try answer.ids(), answer.remaining))
                    }
                    return nil
                }
                if let found { return found }
            }
            let plan = DictionaryPlan(request, layout)
            guard candidates.isEmpty, plan.readsStoredValues else {
                candidates.append((results.ids, .order))
                return nil
            }
            results.takeSortValues(search.sortKeys)
            results.sort(by: search.sortKeys)
            return plan.dictionaries(results.inOrder({ $0 }, { $0 }))
        }
        return try dictionaries ?? savedDictionaries(candidates, search)
    }

    /// Returns dictionaries of the objects' saved values.
    private func savedDictionaries(
        _ candidates: [(ids: [NSManagedObjectID], remaining: StoreAnswer.Remaining)], _ search: FetchSearch
    ) throws -> [AnyObject] {
        let other = context.reader()
        return other.performAndWait {
            var results = FetchResults()
            for part in candidates {
                let objects = part.ids.map { other.object(with: $0) }
                results.objects += part.remaining.contains(.predicate) ? search.matching(objects) : objects
            }
            if candidates.count > 1 || candidates.contains(where: { $0.remaining.contains(.order) }) {
                results.sort(by: search.sortKeys)
            }
            return DictionaryPlan(request, layout).dictionaries(results.objects(in: other))
        }
    }
}

extension FetchSettings {
    /// Sets the limit by which a source returns enough results for a request, without an offset.
    ///
    /// - Parameter removals: The number of results that may not count.
    mutating func setBound(of request: FetchSettings, removals: Int) {
        fetchOffset = 0
        guard request.fetchLimit > 0 else { return fetchLimit = 0 }
        let (bound, overflows) = request.fetchLimit.addingReportingOverflow(max(0, request.fetchOffset))
        let (limit, overflowsToo) = bound.addingReportingOverflow(removals)
        fetchLimit = overflows || overflowsToo ? 0 : limit
    }
}
