internal import Foundation

/// Fetching: what is in the stores, or in the parent, and what is not saved here.
extension NSManagedObjectContext {
    /// The results of a request in their type.
    final func results(of request: FetchSettings) throws -> [AnyObject] {
        switch request.resultType {
        case .dictionaryResultType, .countResultType, .managedObjectIDResultType: try values(of: request)
        default: try objects(of: request).map { $0 as AnyObject }
        }
    }

    /// The objects that a request asks for.
    final func objects(of request: FetchSettings) throws -> [NSManagedObject] {
        checkQueue()
        FetchRules.check(request)
        let request = request.resolvingFetchExpressions()
        let objects = try find(request).objects(in: self)
        try prepare(objects, request)
        return objects
    }

    /// The results of a request that does not ask for objects.
    final func values(of request: FetchSettings) throws -> [AnyObject] {
        checkQueue()
        FetchRules.check(request)
        let request = request.resolvingFetchExpressions()
        switch request.resultType {
        case .dictionaryResultType: return try dictionaries(request)
        case .countResultType: return [NSNumber(value: try resultCount(of: request))]
        default: return try (idsOfStore(request) ?? find(request).ids).map { $0 as AnyObject }
        }
    }

    /// The number of results.
    final func resultCount(of request: FetchSettings) throws -> Int {
        checkQueue()
        FetchRules.check(request)
        var request = request.resolvingFetchExpressions()
        request.sortDescriptors = nil
        if request.resultType == .dictionaryResultType { return try dictionaries(request).count }
        request.resultType = .countResultType
        if let count = try countOfStore(request) { return count }
        return try find(request).count
    }

    /// The layout of the entity that a request is about. None, or one that the model does not have, stops the program.
    final func layout(of request: FetchSettings) -> EntityLayout {
        if let entity = request.entity { return layout(for: entity) }
        guard let name = request.entityName else {
            misuse("NSInvalidArgumentException", "executeFetchRequest:error: A fetch request must have an entity.")
        }
        guard let model = persistentStoreCoordinator?.managedObjectModel, let entity = model.entitiesByName[name] else {
            misuse(
                "NSInternalInconsistencyException",
                "NSFetchRequest could not locate an NSEntityDescription for entity name '\(name)'")
        }
        return layout(for: entity)
    }

    /// The layouts that a request is about.
    final func layouts(of request: FetchSettings, _ layout: EntityLayout) -> [EntityLayout] {
        persistentStoreCoordinator?.layouts(below: layout, includesSubentities: request.includesSubentities) ?? [layout]
    }

    // MARK: Finding

    /// What a request asks for, in order, without offset and limit being looked at again.
    final func find(_ request: FetchSettings) throws -> FetchFindings {
        let layout = layout(of: request)
        let layouts = layouts(of: request, layout)
        if request.includesPendingChanges { processChangesBeforeFetch() }
        let pending = request.includesPendingChanges ? pendingObjects(request, layouts) : []
        let stores = ownCoordinator?.stores(of: request) ?? []
        if parent == nil, pending.isEmpty, stores.count == 1, stores[0].carriesOutRequests {
            return FetchFindings(objects: try results(of: request, layout, from: stores[0]))
        }
        if parent != nil, pending.isEmpty { return FetchFindings(objects: try objectsOfParent(request)) }
        let search = FetchSearch(request, layout, layouts)
        let looksAtStores = search.readsStoredValues && stores.allSatisfy { $0 is InMemoryStore }
        if parent == nil, !request.includesPendingChanges, hasChanges, !looksAtStores {
            return FetchFindings(objects: try savedObjects(request))
        }
        var findings = FetchFindings()
        if parent != nil {
            findings.objects = try objectsOfParent(request, without: pending)
        } else {
            findStored(search, in: stores, without: pending, &findings)
            for store in stores { try find(search, in: store, without: pending, &findings) }
        }
        findings.objects += pending.filter { !$0.isMarkedDeleted && search.matches($0) }
        findings.sort(by: search.sortKeys)
        findings.cut(request)
        return findings
    }

    /// Adds what stores in memory have, which are looked at as they are.
    private final func findStored(
        _ search: FetchSearch, in stores: [NSPersistentStore], without pending: [NSManagedObject],
        _ findings: inout FetchFindings
    ) {
        let memories = stores.compactMap { $0 as? InMemoryStore }
        guard search.readsStoredValues, !memories.isEmpty else { return }
        ownCoordinator?.lock.withLock {
            for memory in memories { findings.stored += memory.objects(search, without: pending) }
            findings.takeSortValues(search.sortKeys)
        }
    }

    /// Adds what one of several stores has, or the only one besides unsaved changes.
    private final func find(
        _ search: FetchSearch, in store: NSPersistentStore, without pending: [NSManagedObject],
        _ findings: inout FetchFindings
    ) throws {
        if store.carriesOutRequests {
            var request = search.settings
            // With unsaved changes nobody knows which of the store's objects are left.
            let isBounded = pending.isEmpty && request.fetchLimit > 0
            request.fetchLimit = isBounded ? request.fetchLimit + request.fetchOffset : 0
            request.fetchOffset = 0
            let known = Set(pending.map { ObjectIdentifier($0) })
            findings.objects += try results(of: request, search.layout, from: store)
                .filter { !known.contains(ObjectIdentifier($0)) }
        } else if store is InMemoryStore, search.readsStoredValues {
            return
        } else {
            let known = Set(pending.map { ObjectIdentifier($0) })
            findings.objects += try candidates(search, in: store).filter { object in
                !known.contains(ObjectIdentifier(object)) && !object.isMarkedDeleted && search.matches(object)
            }
        }
    }

    /// The objects that a store gives for a request.
    private final func results(
        of request: FetchSettings, _ layout: EntityLayout, from store: NSPersistentStore
    ) throws -> [NSManagedObject] {
        var request = request
        request.entity = layout.entity
        request.resultType = .managedObjectResultType
        let objects = try ownCoordinator?.objects(of: request, from: store, for: self) ?? []
        guard request.includesPendingChanges, !objects.allSatisfyUncounted({ !$0.isMarkedDeleted }) else {
            return objects
        }
        return objects.filter { !$0.isMarkedDeleted }
    }

    private final func candidates(_ search: FetchSearch, in store: NSPersistentStore) throws -> [NSManagedObject] {
        try ownCoordinator?.candidates(search.settings, search.layouts, in: store, for: self).map { object(with: $0) }
            ?? []
    }

    /// The objects that match as they were saved, in the order that they have so: found by a context without changes.
    private final func savedObjects(_ request: FetchSettings) throws -> [NSManagedObject] {
        let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        other.persistentStoreCoordinator = ownCoordinator
        return try other.performAndWait { try other.find(request).ids }.map { object(with: $0) }
    }

    // MARK: The parent

    /// What the parent finds, with its own unsaved changes.
    private final func objectsOfParent(_ request: FetchSettings) throws -> [NSManagedObject] {
        guard let parent else { return [] }
        return try ask(parent) { () throws -> [NSManagedObjectID] in
            var request = request
            request.includesPendingChanges = true
            return try parent.find(request).ids
        }.map { object(with: $0) }
    }

    /// What the parent finds but for some objects, without offset and limit.
    private final func objectsOfParent(
        _ request: FetchSettings, without pending: [NSManagedObject]
    ) throws -> [NSManagedObject] {
        var request = request
        request.fetchLimit = 0
        request.fetchOffset = 0
        request.sortDescriptors = nil
        let known = Set(pending.map { ObjectIdentifier($0) })
        return try objectsOfParent(request).filter { !known.contains(ObjectIdentifier($0)) && !$0.isMarkedDeleted }
    }

    // MARK: Unsaved changes

    /// The objects with unsaved changes, also deleted ones, that a request may be about.
    final func pendingObjects(_ request: FetchSettings, _ layouts: [EntityLayout]) -> [NSManagedObject] {
        guard !changed.isEmpty else { return [] }
        let wanted = Set(layouts.map { ObjectIdentifier($0) })
        return changed.filter { object in
            guard wanted.contains(ObjectIdentifier(object.layout)) else { return false }
            guard let stores = request.affectedStores, !object.isMarkedInserted else { return true }
            return stores.contains { $0 === object.ownID.persistentStore }
        }
    }

    // MARK: Fetched properties

    /// The objects of a fetched property: its request with the object as `$FETCH_SOURCE`.
    final func fetchedProperty(at index: Int, of object: NSManagedObject) -> NSArray {
        guard let property = object.layout.slots[index].property as? NSFetchedPropertyDescription,
            let request = property.fetchRequest
        else { return NSArray() }
        var settings = request.settings
        settings.predicate = settings.predicate?.withSubstitutionVariables([
            "FETCH_SOURCE": object, "FETCHED_PROPERTY": property,
        ])
        do {
            return NSArray(array: try results(of: settings))
        } catch {
            misuse("the fetched property “\(object.layout.name).\(property.name)” cannot be fetched: \(error)")
        }
    }
}
