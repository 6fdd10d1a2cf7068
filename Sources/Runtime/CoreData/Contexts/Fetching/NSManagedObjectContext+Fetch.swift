internal import Foundation
internal import RuntimeSupport

/// Execution of fetch requests.
extension NSManagedObjectContext {
    /// Returns the results of a request, in its result type.
    final func results(of request: FetchSettings) throws -> [AnyObject] {
        switch request.resultType {
        case .dictionaryResultType, .countResultType, .managedObjectIDResultType: try values(of: request)
        default: try fetchedObjects(of: request).map { $0 as AnyObject }
        }
    }

    final func fetchedObjects(of request: FetchSettings) throws -> [NSManagedObject] {
        checkQueue()
        FetchRules.check(request)
        let request = request.resolvingFetchExpressions()
        let objects = try ContextFetch(request, self).objects()
        try prepare(objects, request)
        return objects
    }

    /// Returns the results of a request that does not ask for objects.
    final func values(of request: FetchSettings) throws -> [AnyObject] {
        checkQueue()
        FetchRules.check(request)
        let request = request.resolvingFetchExpressions()
        switch request.resultType {
        case .dictionaryResultType: return try ContextFetch(request, self).dictionaries()
        case .countResultType: return [NSNumber(value: try resultCount(of: request))]
        default: return try ContextFetch(request, self).ids().map { $0 as AnyObject }
        }
    }

    final func resultCount(of request: FetchSettings) throws -> Int {
        checkQueue()
        FetchRules.check(request)
        var request = request.resolvingFetchExpressions()
        request.sortDescriptors = nil
        let fetch = ContextFetch(request, self)
        return try request.resultType == .dictionaryResultType ? fetch.dictionaries().count : fetch.count()
    }

    /// Returns the layout of a request's entity. Traps if it has none, or one that is not in the model.
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

    // MARK: Fetched properties

    /// Returns the objects of a fetched property, whose request has the object as `$FETCH_SOURCE`.
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
