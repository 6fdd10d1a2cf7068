internal import Foundation

/// Fetches that stores carry out by themselves: their results are not looked at again but for what is not saved here.
extension NSManagedObjectContext {
    /// Numbers and dictionaries, which one store can give when nothing unsaved counts; nil when the context must find them
    /// itself.
    final func valuesOfStore(_ request: FetchSettings) throws -> [AnyObject]? {
        guard !request.resultType.isDisjoint(with: [.countResultType, .dictionaryResultType]),
            let coordinator = ownCoordinator
        else { return nil }
        let stores = coordinator.stores(of: request)
        guard stores.count == 1, stores[0].carriesOutRequests(for: request.resultType) else { return nil }
        if request.includesPendingChanges { processChanges() }
        guard !request.includesPendingChanges || !hasChanges else { return nil }
        var request = request
        request.entity = layout(of: request).entity
        return try coordinator.results(of: request, from: stores, for: self).map { $0 as AnyObject }
    }

    /// The objects that stores give, with what is not saved here; nil when not all stores carry requests out.
    final func objectsOfStores(_ request: FetchSettings, _ layouts: [EntityLayout]) throws -> [NSManagedObject]? {
        guard let coordinator = ownCoordinator else { return nil }
        let stores = coordinator.stores(of: request)
        guard !stores.isEmpty, stores.allSatisfy({ $0.carriesOutRequests(for: .managedObjectResultType) }) else {
            return nil
        }
        let pending = request.includesPendingChanges ? pendingObjects(request, layouts) : []
        let isFinal = pending.isEmpty && stores.count == 1
        var stored = request
        stored.resultType = .managedObjectResultType
        if !isFinal {
            let isBounded = pending.isEmpty && request.fetchLimit > 0
            stored.fetchLimit = isBounded ? request.fetchLimit + request.fetchOffset : 0
            stored.fetchOffset = 0
        }
        var objects = try coordinator.results(of: stored, from: stores, for: self).compactMap { $0 as? NSManagedObject }
        objects.removeAll { $0.isDeleted }
        if isFinal { return objects }
        merge(pending, into: &objects, request)
        try sort(&objects, request.sortDescriptors)
        cut(&objects, request)
        return objects
    }

    /// Objects with unsaved changes match or not by what they are now.
    private final func merge(
        _ pending: [NSManagedObject], into objects: inout [NSManagedObject], _ request: FetchSettings
    ) {
        guard !pending.isEmpty else { return }
        let matching = pending.filter { !$0.isDeleted && request.predicate?.evaluate(with: $0) ?? true }
        let changed = Set(pending.map { ObjectIdentifier($0) })
        let kept = Set(matching.map { ObjectIdentifier($0) })
        objects.removeAll { changed.contains(ObjectIdentifier($0)) && !kept.contains(ObjectIdentifier($0)) }
        let known = Set(objects.map { ObjectIdentifier($0) })
        objects += matching.filter { !known.contains(ObjectIdentifier($0)) }
    }

    /// The objects with unsaved changes, also deleted ones, that a request may be about.
    final func pendingObjects(_ request: FetchSettings, _ layouts: [EntityLayout]) -> [NSManagedObject] {
        guard !changed.isEmpty else { return [] }
        let wanted = Set(layouts.map { ObjectIdentifier($0) })
        return changed.filter { object in
            guard wanted.contains(ObjectIdentifier(object.layout)) else { return false }
            guard let stores = request.affectedStores, !object.isInserted else { return true }
            return stores.contains { $0 === object.objectID.persistentStore }
        }
    }
}
