internal import Foundation

/// Fetching.
extension NSManagedObjectContext {
    /// The results of a request in their type.
    final func results(of request: FetchSettings) throws -> [AnyObject] {
        checkQueue()
        if let values = try valuesOfStore(request) { return values }
        let objects = try matchingObjects(request)
        switch request.resultType {
        case .managedObjectIDResultType: return objects.map(\.objectID)
        case .countResultType: return [NSNumber(value: objects.count)]
        case .dictionaryResultType: return try dictionaries(objects, request)
        default:
            if !request.returnsObjectsAsFaults { for object in objects { object.realize() } }
            return objects
        }
    }

    /// The number of results.
    final func resultCount(of request: FetchSettings) throws -> Int {
        checkQueue()
        var request = request
        request.sortDescriptors = nil
        request.resultType = .countResultType
        if let values = try valuesOfStore(request) { return (values.first as? NSNumber)?.intValue ?? 0 }
        return try matchingObjects(request).count
    }

    /// The objects that a request asks for.
    private final func matchingObjects(_ request: FetchSettings) throws -> [NSManagedObject] {
        let layout = layout(of: request)
        var request = request
        request.entity = layout.entity
        if request.includesPendingChanges {
            processChanges()
        } else if hasChanges {
            return try savedObjects(request)
        }
        let layouts =
            persistentStoreCoordinator?.layouts(below: layout, includesSubentities: request.includesSubentities) ?? [
                layout
            ]
        if let objects = try objectsOfStores(request, layouts) { return objects }
        var objects = try candidates(request, layouts).map { self.object(with: $0) }
        objects.removeAll { $0.isDeleted }
        var known: Set<ObjectIdentifier>?
        for object in pendingObjects(request, layouts) where !object.isDeleted {
            // A parent may know an object that is new here too, and a store leaves out what did not match when it was saved.
            if known == nil { known = Set(objects.map { ObjectIdentifier($0) }) }
            if known?.insert(ObjectIdentifier(object)).inserted == true { objects.append(object) }
        }
        if let predicate = request.predicate { filter(&objects, predicate) }
        try sort(&objects, request.sortDescriptors)
        cut(&objects, request)
        return objects
    }

    /// Applies offset and limit.
    final func cut(_ objects: inout [NSManagedObject], _ request: FetchSettings) {
        if request.fetchOffset > 0 { objects.removeFirst(min(request.fetchOffset, objects.count)) }
        if request.fetchLimit > 0 { objects.removeLast(max(0, objects.count - request.fetchLimit)) }
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

    /// The IDs that a request may be about: of the stores, or of the parent with its unsaved changes.
    private final func candidates(_ request: FetchSettings, _ layouts: [EntityLayout]) throws -> [NSManagedObjectID] {
        guard let parent else { return try ownCoordinator?.candidates(request, layouts, for: self) ?? [] }
        return try ask(parent) { () throws -> [NSManagedObjectID] in
            parent.processChanges()
            let ids = try parent.candidates(request, layouts).filter {
                parent.registeredObject(for: $0)?.isDeleted != true
            }
            let known = Set(ids)
            let new = parent.pendingObjects(request, layouts).filter { object in
                !object.isDeleted && !known.contains(object.objectID)
            }
            return ids + new.map(\.objectID)
        }
    }

    /// The objects that a request asks for, as they were saved: found by a context without changes.
    private final func savedObjects(_ request: FetchSettings) throws -> [NSManagedObject] {
        let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        if let parent { other.parent = parent } else { other.persistentStoreCoordinator = ownCoordinator }
        let ids = try other.performAndWait { () throws -> [NSManagedObjectID] in
            try other.matchingObjects(request).map(\.objectID)
        }
        return ids.map { self.object(with: $0) }
    }

    /// Keeps the objects that meet a predicate.
    private final func filter(_ objects: inout [NSManagedObject], _ predicate: NSPredicate) {
        var session = PredicateEvaluator(predicate).session()
        objects.removeAll { !session.matches(slotted: $0) }
    }

    // MARK: Order

    final func sort(_ objects: inout [NSManagedObject], _ descriptors: [NSSortDescriptor]?) throws {
        guard let descriptors, !descriptors.isEmpty, objects.count > 1 else { return }
        // Objects that are equal stay in their order.
        let order = objects.indices.sorted { one, other in
            for descriptor in descriptors {
                switch descriptor.compare(objects[one], to: objects[other]) {
                case .orderedAscending: return true
                case .orderedDescending: return false
                case .orderedSame: continue
                }
            }
            return one < other
        }
        objects = order.map { objects[$0] }
    }

    // MARK: Dictionaries

    /// Values of some properties. Aggregates and groups come with predicates.
    private final func dictionaries(_ objects: [NSManagedObject], _ request: FetchSettings) throws -> [NSDictionary] {
        guard request.propertiesToGroupBy?.isEmpty ?? true, request.havingPredicate == nil else {
            throw unsupported("groups")
        }
        let names = try request.propertiesToFetch.map { properties in
            try properties.map { property in
                switch property {
                case let name as String: return name
                case is NSExpressionDescription: throw unsupported("expressions")
                case let description as NSPropertyDescription: return description.name
                default: throw unsupported("\(type(of: property))")
                }
            }
        }
        var seen: Set<NSDictionary> = []
        var result: [NSDictionary] = []
        for object in objects {
            let keys =
                names ?? (object.layout.attributeSlots + object.layout.toOneSlots).map { object.layout.slots[$0].name }
            let dictionary = NSMutableDictionary()
            for key in keys {
                guard let value = object.value(forKeyPath: key) else { continue }
                dictionary[key] = (value as? NSManagedObject)?.objectID ?? value
            }
            if !request.returnsDistinctResults || seen.insert(dictionary).inserted { result.append(dictionary) }
        }
        return result
    }

    private final func unsupported(_ what: String) -> NSError {
        CoreDataError.error(
            .persistentStoreUnsupportedRequestType, "dictionary results with \(what) cannot be fetched yet")
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
