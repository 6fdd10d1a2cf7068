internal import Foundation

/// Numbers that stores find by themselves, and objects that are made of what stores hold.
extension NSManagedObjectContext {
    /// The number of results, which one store can give when nothing unsaved counts; nil when the context must find them itself.
    final func countOfStore(_ request: FetchSettings) throws -> Int? {
        guard let store = storeOfAllResults(request) else { return nil }
        guard let memory = store as? InMemoryStore else {
            return try results(of: request, in: store).map { ($0.first as? NSNumber)?.intValue ?? 0 }
        }
        let layout = layout(of: request)
        let search = FetchSearch(request, layout, layouts(of: request, layout))
        guard search.readsStoredValues, let coordinator = ownCoordinator else { return nil }
        let rest = max(0, coordinator.lock.withLock { memory.count(search) } - request.fetchOffset)
        return request.fetchLimit > 0 ? min(rest, request.fetchLimit) : rest
    }

    /// The IDs of the results, which one store can give when nothing unsaved counts; nil when the context must find them itself.
    final func idsOfStore(_ request: FetchSettings) throws -> [NSManagedObjectID]? {
        try storeOfAllResults(request).flatMap { try results(of: request, in: $0) }?
            // Stores of one's own may give objects all the same.
            .compactMap { $0 as? NSManagedObjectID ?? ($0 as? NSManagedObject)?.objectID }
    }

    /// The only store that a request asks, when nothing unsaved counts.
    private final func storeOfAllResults(_ request: FetchSettings) -> NSPersistentStore? {
        guard let stores = ownCoordinator?.stores(of: request), stores.count == 1 else { return nil }
        if request.includesPendingChanges { processChangesBeforeFetch() }
        return request.includesPendingChanges && hasChanges ? nil : stores[0]
    }

    /// The results that a store gives which carries requests out; nil for another.
    private final func results(of request: FetchSettings, in store: NSPersistentStore) throws -> [Any]? {
        guard store.carriesOutRequests else { return nil }
        var request = request
        request.entity = layout(of: request).entity
        return try ownCoordinator?.results(of: request, from: [store], for: self)
    }

    /// The objects of this context for those of a store in memory, all or those at some places.
    final func objects(for stored: [MemoryObject], at places: ArraySlice<Int>?) -> [NSManagedObject] {
        checkQueue()
        return registry.objects(for: stored, at: places, orMake: makeFault)
    }

    // MARK: Dictionaries

    /// Dictionaries of what is saved: unsaved changes do not count, as Apple's documentation of `includesPendingChanges` says.
    final func dictionaries(_ request: FetchSettings) throws -> [AnyObject] {
        guard let coordinator = persistentStoreCoordinator else { return [] }
        let layout = layout(of: request)
        let stores = coordinator.stores(of: request)
        var request = request
        request.entity = layout.entity
        request.includesPendingChanges = false
        if stores.count == 1, stores[0].carriesOutRequests {
            return try coordinator.results(of: request, from: stores, for: self).map { $0 as AnyObject }
        }
        let plan = DictionaryPlan(request, layout)
        let search = FetchSearch(request, layout, layouts(of: request, layout))
        if plan.readsStoredValues, search.readsStoredValues, stores.allSatisfy({ $0 is InMemoryStore }) {
            return coordinator.lock.withLock {
                var findings = FetchFindings()
                for case let store as InMemoryStore in stores { findings.stored += store.objects(search) }
                findings.takeSortValues(search.sortKeys)
                findings.sort(by: search.sortKeys)
                return plan.dictionaries(findings.inOrder({ $0 }, { $0 }))
            }
        }
        return try savedDictionaries(plan, request, coordinator)
    }

    /// Dictionaries of objects as they were saved, in a context without changes.
    private final func savedDictionaries(
        _ plan: DictionaryPlan, _ request: FetchSettings, _ coordinator: NSPersistentStoreCoordinator
    ) throws -> [AnyObject] {
        let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        other.persistentStoreCoordinator = coordinator
        var request = request
        request.resultType = .managedObjectResultType
        request.fetchLimit = 0
        request.fetchOffset = 0
        return try other.performAndWait { plan.dictionaries(try other.find(request).objects(in: other)) }
    }
}
