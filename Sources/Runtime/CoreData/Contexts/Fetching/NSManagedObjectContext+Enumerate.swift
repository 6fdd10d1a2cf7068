internal import Foundation

extension NSManagedObjectContext {
    /// The batch size of `enumerate(_:batchSize:block:)` for requests without one.
    private static let enumerationSize = 1000

    /// Calls a closure with each object that matches a request, of which few are in memory at the same time.
    ///
    /// Apple's framework gets by with the memory of a batch if `fetchBatchSize` is set, because the array of results
    /// makes its objects when they are used. A Swift array on Linux contains its objects, so `fetch(_:)` makes all of
    /// them. This method finds out first which objects match, like Apple's array, and then fetches one batch after the
    /// other. Objects that neither the closure nor unsaved changes keep are released with their batch. Those that have
    /// been deleted meanwhile are left out.
    ///
    /// ```swift
    /// let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    /// request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    /// try context.enumerate(request, batchSize: 500) { book in
    ///     print(book.value(forKey: "title") ?? "")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - request: A request for managed objects.
    ///   - batchSize: The number of objects that are fetched at a time; by default the request's `fetchBatchSize`, or
    ///     1,000 if it is 0.
    ///   - block: Called on the context's queue, in the order of the request. What it throws ends the enumeration.
    /// - Throws: An `NSError` of Cocoa's domain if a fetch fails, and what the closure throws.
    public final func enumerate<T: NSManagedObject>(
        _ request: NSFetchRequest<T>, batchSize: Int? = nil, block: (T) throws -> Void
    ) throws {
        checkQueue()
        FetchRules.check(request.settings)
        let settings = request.settings.resolvingFetchExpressions()
        let size = max(1, batchSize ?? (settings.fetchBatchSize > 0 ? settings.fetchBatchSize : Self.enumerationSize))
        var keys = settings
        keys.resultType = .managedObjectIDResultType
        let ids = try ContextFetch(keys, self).ids()
        // A save in the closure gives unsaved objects other IDs.
        var unsaved: [NSManagedObjectID: NSManagedObject] = [:]
        for id in ids where id.isTemporaryID { unsaved[id] = registeredObject(for: id) }
        var batch = settings
        (batch.fetchLimit, batch.fetchOffset, batch.fetchBatchSize) = (0, 0, 0)
        batch.sortDescriptors = nil
        var start = 0
        while start < ids.count {
            let part = ids[start..<min(start + size, ids.count)]
            start += size
            batch.predicate = NSPredicate(format: "SELF IN %@", Array(part))
            let objects = Dictionary(try fetchedObjects(of: batch).map { ($0.objectID, $0) }) { first, _ in first }
            let found: [T] = Self.typed(
                part.compactMap { unsaved.removeValue(forKey: $0) ?? objects[$0] }, settings.entityName)
            for object in found where object.managedObjectContext === self && !object.isDeleted { try block(object) }
        }
    }
}
