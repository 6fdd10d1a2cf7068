/// What a fetch has found: objects as a store in memory holds them, objects of the context, and the order of both together.
struct FetchFindings {
    var stored: [MemoryObject] = []
    var objects: [NSManagedObject] = []
    /// Places in `stored` followed by `objects`; nil for these in their order.
    private var places: ArraySlice<Int>?
    /// What `stored` is sorted by.
    private var table: SortTable?

    init(objects: [NSManagedObject] = []) {
        self.objects = objects
    }

    var count: Int { places?.count ?? stored.count + objects.count }

    /// Takes the values out of `stored` by which it is sorted: while its store may be looked at, under the coordinator's lock.
    mutating func takeSortValues(_ keys: [SortKey]) {
        guard !keys.isEmpty, !stored.isEmpty else { return }
        table = SortTable(keys)
        table?.append(stored)
    }

    /// Sorts everything. What is equal stays in its order.
    mutating func sort(by keys: [SortKey]) {
        guard !keys.isEmpty, stored.count + objects.count > 1 else { return }
        var table = table ?? SortTable(keys)
        table.append(objects)
        places = table.sortedIndices()[...]
        self.table = nil
    }

    /// Applies offset and limit.
    mutating func cut(_ request: FetchSettings) {
        guard request.fetchOffset > 0 || request.fetchLimit > 0 else { return }
        var kept = places ?? ArraySlice(0..<(stored.count + objects.count))
        if request.fetchOffset > 0 { kept = kept.dropFirst(request.fetchOffset) }
        if request.fetchLimit > 0 { kept = kept.prefix(request.fetchLimit) }
        places = kept
    }

    /// The IDs in order.
    var ids: [NSManagedObjectID] {
        inOrder({ $0.id }, { $0.objectID })
    }

    /// Returns the objects of a context in order.
    func objects(in context: NSManagedObjectContext) -> [NSManagedObject] {
        if stored.isEmpty {
            guard let places else { return objects }
            return places.map { objects[$0] }
        }
        if objects.isEmpty { return context.objects(for: stored, at: places) }
        let made = context.objects(for: stored, at: nil)
        guard let places else { return made + objects }
        return places.map { $0 < made.count ? made[$0] : objects[$0 - made.count] }
    }

    /// Returns what two functions make of the objects, in order.
    func inOrder<Result>(
        _ ofStored: (MemoryObject) -> Result, _ ofObject: (NSManagedObject) -> Result
    ) -> [Result] {
        guard let places else { return stored.map(ofStored) + objects.map(ofObject) }
        return places.map { $0 < stored.count ? ofStored(stored[$0]) : ofObject(objects[$0 - stored.count]) }
    }
}
