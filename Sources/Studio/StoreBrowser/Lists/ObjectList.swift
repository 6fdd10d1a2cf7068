internal import CoreData
internal import Foundation

/// The objects of a query, by index.
///
/// Unsaved objects come first, so that they do not move the others; in a list of given objects, each object is where it
/// belongs. The first rows, and all rows in the order of primary keys, are read with LIMIT and OFFSET. For later rows
/// in another order, the IDs of all objects are read once and kept until the store changes, so that every jump takes
/// the same short time.
final class ObjectList {
    private let stack: StoreStack
    private let entity: NSEntityDescription
    private let predicate: NSPredicate?
    private let sortDescriptors: [NSSortDescriptor]
    private let isSQL: Bool
    private let isPlain: Bool
    private let isSorted: Bool
    private let unsaved: () -> [NSManagedObject]
    private var ids: [NSManagedObjectID]?
    private var cachedCount: Int?

    /// The index up to which rows are read without the IDs of all objects.
    private static let directLimit = 1000

    /// Creates a list.
    ///
    /// - Parameters:
    ///   - predicate: The filter, which was checked.
    ///   - sort: The key paths that are sorted by, which were checked.
    ///   - members: The IDs of the objects, if a query cannot tell them.
    ///   - unsaved: Returns the unsaved objects that belong to the list, too.
    init(
        _ stack: StoreStack, _ entity: NSEntityDescription, predicate: NSPredicate?, sort: [ListQuery.SortKey],
        members: [NSManagedObjectID]?, unsaved: @escaping () -> [NSManagedObject]
    ) {
        self.unsaved = unsaved
        self.stack = stack
        self.entity = entity
        self.predicate = predicate
        isSQL = stack.store.type == NSSQLiteStoreType
        isSorted = !sort.isEmpty
        isPlain = predicate == nil && sort.isEmpty
        var descriptors = sort.map { NSSortDescriptor(key: $0.key, ascending: $0.isDescending != true) }
        // Pages fit together only if the order is total.
        if isSQL { descriptors.append(NSSortDescriptor(key: "objectID", ascending: true)) }
        sortDescriptors = descriptors
        ids = members
    }

    func request() -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: entity.name ?? "")
        request.predicate = predicate
        request.sortDescriptors = sortDescriptors
        // Unsaved objects are listed separately, so that a row keeps its position until its edit is saved.
        request.includesPendingChanges = false
        return request
    }

    /// Returns some of the objects, `nil` for those that have disappeared, and the number of all.
    ///
    /// - Parameter prefetching: Relationships whose destinations are also read.
    func page(
        from offset: Int, limit: Int, prefetching: [String] = []
    ) throws -> (objects: [(id: NSManagedObjectID, object: NSManagedObject?)], total: Int) {
        let unsaved = unsaved()
        let objects = try objects(unsaved, from: offset, limit: limit, prefetching: prefetching)
        return (objects, try unsaved.count + storedCount())
    }

    private func storedCount() throws -> Int {
        if let ids { return ids.count }
        if let cachedCount { return cachedCount }
        let request = request()
        request.sortDescriptors = nil
        let count = try stack.context.count(for: request)
        cachedCount = count
        return count
    }

    private func objects(
        _ unsaved: [NSManagedObject], from offset: Int, limit: Int, prefetching: [String]
    ) throws -> [(id: NSManagedObjectID, object: NSManagedObject?)] {
        let first = unsaved.dropFirst(offset).prefix(limit).map { ($0.objectID, Optional($0)) }
        guard first.count < limit else { return first }
        return try first
            + storedObjects(
                from: max(0, offset - unsaved.count), limit: limit - first.count, prefetching: prefetching)
    }

    private func storedObjects(
        from offset: Int, limit: Int, prefetching: [String]
    ) throws -> [(id: NSManagedObjectID, object: NSManagedObject?)] {
        if isDirect(offset, limit) {
            let request = NSFetchRequest<NSManagedObject>(request())
            request.fetchOffset = offset
            request.fetchLimit = limit
            request.returnsObjectsAsFaults = false
            request.relationshipKeyPathsForPrefetching = prefetching
            return try stack.context.fetch(request).map { ($0.objectID, $0) }
        }
        let all = try allIDs()
        let requested = Array(all[min(offset, all.count)..<min(offset + limit, all.count)])
        guard !requested.isEmpty else { return [] }
        var found: [NSManagedObjectID: NSManagedObject] = [:]
        for id in requested where id.isTemporaryID { found[id] = stack.context.registeredObject(for: id) }
        let stored = requested.filter { !$0.isTemporaryID }
        if !stored.isEmpty {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
            request.predicate = NSPredicate(format: "SELF IN %@", stored)
            request.includesPendingChanges = false
            request.returnsObjectsAsFaults = false
            request.relationshipKeyPathsForPrefetching = prefetching
            for object in try stack.context.fetch(request) { found[object.objectID] = object }
        }
        return requested.map { ($0, found[$0]) }
    }

    func ids(from offset: Int, limit: Int) throws -> [NSManagedObjectID] {
        let unsaved = unsaved()
        let first = unsaved.dropFirst(offset).prefix(limit).map(\.objectID)
        guard first.count < limit else { return first }
        return try first + storedIDs(from: max(0, offset - unsaved.count), limit: limit - first.count)
    }

    private func storedIDs(from offset: Int, limit: Int) throws -> [NSManagedObjectID] {
        if isDirect(offset, limit) {
            let request = NSFetchRequest<NSManagedObjectID>(request())
            request.resultType = .managedObjectIDResultType
            request.fetchOffset = offset
            request.fetchLimit = limit
            return try stack.context.fetch(request)
        }
        let all = try allIDs()
        return Array(all[min(offset, all.count)..<min(offset + limit, all.count)])
    }

    /// Whether rows are read with LIMIT and OFFSET.
    private func isDirect(_ offset: Int, _ limit: Int) -> Bool {
        ids == nil && isSQL && (isPlain || offset + limit <= Self.directLimit)
    }

    private func allIDs() throws -> [NSManagedObjectID] {
        if let ids { return ids }
        let request = NSFetchRequest<NSManagedObjectID>(request())
        request.resultType = .managedObjectIDResultType
        request.includesPropertyValues = false
        var all = try stack.context.fetch(request)
        // Other stores return objects in any order.
        if !isSQL, !isSorted { all.sort { $0.precedes($1) } }
        ids = all
        return all
    }
}
