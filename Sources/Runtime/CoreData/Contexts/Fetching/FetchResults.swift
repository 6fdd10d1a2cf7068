/// The results of a fetch: objects of an in-memory store, objects of the context, and their common order.
struct FetchResults {
    var stored: [MemoryObject] = []
    var objects: [NSManagedObject] = []
    /// Whether all of `objects` were created for the rows that were found, and therefore cannot be deleted or gone.
    var areAllNew = false
    /// Indices into `stored` followed by `objects`, in order; `nil` for the arrays' own order.
    private var positions: ArraySlice<Int>?
    /// The sort values of `stored`.
    private var table: SortTable?

    init(objects: [NSManagedObject] = []) {
        self.objects = objects
    }

    var count: Int { positions?.count ?? stored.count + objects.count }

    /// Copies the sort values of `stored`. Called while its store may be read, under the coordinator's lock.
    mutating func takeSortValues(_ keys: [SortKey]) {
        guard !keys.isEmpty, !stored.isEmpty else { return }
        table = SortTable(keys)
        table?.append(stored)
    }

    /// Sorts all results. The sort is stable.
    mutating func sort(by keys: [SortKey]) {
        guard !keys.isEmpty, stored.count + objects.count > 1 else { return }
        var table = table ?? SortTable(keys)
        table.append(objects)
        positions = table.sortedIndices()[...]
        self.table = nil
    }

    /// Applies offset and limit.
    mutating func applyRange(of request: FetchSettings) {
        guard request.fetchOffset > 0 || request.fetchLimit > 0 else { return }
        var kept = positions ?? ArraySlice(0..<(stored.count + objects.count))
        if request.fetchOffset > 0 { kept = kept.dropFirst(request.fetchOffset) }
        if request.fetchLimit > 0 { kept = kept.prefix(request.fetchLimit) }
        positions = kept
    }

    /// The IDs, in order.
    var ids: [NSManagedObjectID] {
        inOrder({ $0.id }, { $0.objectID })
    }

    /// Returns the objects of a context, in order.
    func objects(in context: NSManagedObjectContext) -> [NSManagedObject] {
        if stored.isEmpty {
            guard let positions else { return objects }
            return positions.map { objects[$0] }
        }
        if objects.isEmpty { return context.makeObjects(for: stored, at: positions) }
        let made = context.makeObjects(for: stored, at: nil)
        guard let positions else { return made + objects }
        return positions.map { $0 < made.count ? made[$0] : objects[$0 - made.count] }
    }

    /// Returns the results of two functions that map the objects, in order.
    func inOrder<Result>(
        _ ofStored: (MemoryObject) -> Result, _ ofObject: (NSManagedObject) -> Result
    ) -> [Result] {
        guard let positions else { return stored.map(ofStored) + objects.map(ofObject) }
        return positions.map { $0 < stored.count ? ofStored(stored[$0]) : ofObject(objects[$0 - stored.count]) }
    }
}
