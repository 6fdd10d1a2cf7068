/// The results of a fetch: objects of an in-memory store, objects of the context, and their common order.
struct FetchResults {
    var memoryObjects: [MemoryObject] = []
    var objects: [NSManagedObject] = []
    /// Whether all of `objects` were created for the rows that were found, and therefore cannot be deleted or gone.
    var areAllNew = false
    /// Indices into `memoryObjects` followed by `objects`, in order; `nil` for the arrays' own order.
    private var positions: ArraySlice<Int>?
    /// The sort values of `memoryObjects`.
    private var table: SortTable?

    init(objects: [NSManagedObject] = []) {
        self.objects = objects
    }

    var count: Int { positions?.count ?? memoryObjects.count + objects.count }

    /// Copies the sort values of `memoryObjects`. Called while its store may be read, under the coordinator's lock.
    mutating func takeSortValues(_ keys: [SortKey]) {
        guard !keys.isEmpty, !memoryObjects.isEmpty else { return }
        table = SortTable(keys)
        table?.append(memoryObjects)
    }

    /// Sorts all results. The sort is stable.
    mutating func sort(by keys: [SortKey]) {
        guard !keys.isEmpty, memoryObjects.count + objects.count > 1 else { return }
        var table = table ?? SortTable(keys)
        table.append(objects)
        positions = table.sortedIndices()[...]
        self.table = nil
    }

    /// Applies offset and limit.
    mutating func applyRange(of request: FetchSettings) {
        guard request.fetchOffset > 0 || request.fetchLimit > 0 else { return }
        var kept = positions ?? ArraySlice(0..<(memoryObjects.count + objects.count))
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
        if memoryObjects.isEmpty {
            guard let positions else { return objects }
            return positions.map { objects[$0] }
        }
        if objects.isEmpty { return context.makeObjects(for: memoryObjects, at: positions) }
        let made = context.makeObjects(for: memoryObjects, at: nil)
        guard let positions else { return made + objects }
        return positions.map { $0 < made.count ? made[$0] : objects[$0 - made.count] }
    }

    /// Returns the results of two functions that map the objects, in order.
    func inOrder<Result>(
        _ ofStored: (MemoryObject) -> Result, _ ofObject: (NSManagedObject) -> Result
    ) -> [Result] {
        guard let positions else { return memoryObjects.map(ofStored) + objects.map(ofObject) }
        return positions.map {
            $0 < memoryObjects.count ? ofStored(memoryObjects[$0]) : ofObject(objects[$0 - memoryObjects.count])
        }
    }
}
