internal import Foundation

/// Numbers that stores find by themselves, and objects that are made of what stores hold.
extension NSManagedObjectContext {
    /// The number of results, which one store can give when nothing unsaved counts; nil when the context must find them itself.
    final func countOfStore(_ request: FetchSettings) throws -> Int? {
        try resultsOfStore(request).map { ($0.first as? NSNumber)?.intValue ?? 0 }
    }

    /// The IDs of the results, which one store can give when nothing unsaved counts; nil when the context must find them itself.
    final func idsOfStore(_ request: FetchSettings) throws -> [NSManagedObjectID]? {
        try resultsOfStore(request).map { results in
            // Stores of one's own may give objects all the same.
            results.compactMap { $0 as? NSManagedObjectID ?? ($0 as? NSManagedObject)?.objectID }
        }
    }

    private final func resultsOfStore(_ request: FetchSettings) throws -> [Any]? {
        guard let coordinator = ownCoordinator else { return nil }
        let stores = coordinator.stores(of: request)
        guard stores.count == 1, stores[0].carriesOutRequests else { return nil }
        if request.includesPendingChanges { processChanges() }
        guard !request.includesPendingChanges || !hasChanges else { return nil }
        var request = request
        request.entity = layout(of: request).entity
        return try coordinator.results(of: request, from: stores, for: self)
    }

    /// The objects of this context for those of a store in memory.
    final func objects(for stored: [MemoryObject]) -> [NSManagedObject] {
        let known = registry.objects(stored.lazy.map(\.id))
        return zip(known, stored).map { $0 ?? object(with: $1.id) }
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
