internal import Foundation

/// Numbers that stores find by themselves, and objects that are made of what stores hold.
extension NSManagedObjectContext {
    /// The number of results, which one store can give when nothing unsaved counts; nil when the context must find them itself.
    final func countOfStore(_ request: FetchSettings) throws -> Int? {
        guard let coordinator = ownCoordinator else { return nil }
        let stores = coordinator.stores(of: request)
        guard stores.count == 1, let store = stores.first, store.carriesOutRequests || store is InMemoryStore else {
            return nil
        }
        if request.includesPendingChanges { processChanges() }
        guard !request.includesPendingChanges || !hasChanges else { return nil }
        let layout = layout(of: request)
        if let memory = store as? InMemoryStore {
            let search = FetchSearch(request, layout, layouts(of: request, layout))
            guard search.readsStoredValues else { return nil }
            let rest = max(0, coordinator.lock.withLock { memory.count(search) } - request.fetchOffset)
            return request.fetchLimit > 0 ? min(rest, request.fetchLimit) : rest
        }
        var request = request
        request.entity = layout.entity
        return (try coordinator.results(of: request, from: stores, for: self).first as? NSNumber)?.intValue ?? 0
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
