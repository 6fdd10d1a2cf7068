internal import Foundation

/// A request made ready: the layouts that it is about, its predicate and its order, checked against the model.
///
/// Confined to the thread that made it.
final class FetchSearch {
    private(set) var settings: FetchSettings
    let layout: EntityLayout
    /// The layouts of the entity and, if wanted, its subentities.
    let layouts: [EntityLayout]
    /// What tells whether an object matches; nil when all do.
    let filter: SlotFilter?
    let sortKeys: [SortKey]
    /// Whether what a store in memory holds is enough to find and order the objects.
    let readsStoredValues: Bool

    /// Makes a search. A key path that the model does not have stops the program, and so does an order by a to-many
    /// relationship.
    init(_ settings: FetchSettings, _ layout: EntityLayout, _ layouts: [EntityLayout]) {
        self.settings = settings
        self.settings.entity = layout.entity
        self.layout = layout
        self.layouts = layouts
        sortKeys = (settings.sortDescriptors ?? []).map { SortKey($0, layout) }
        var isStored = sortKeys.allSatisfy(\.readsStoredValues)
        filter = settings.predicate.flatMap { predicate in
            if predicate.constantAnswer == true { return nil }
            let evaluator = PredicateEvaluator(predicate)
            for keys in evaluator.reads.paths where !FetchKeyPath(keys, layout).isStored { isStored = false }
            if evaluator.reads.callsCode { isStored = false }
            return SlotFilter(evaluator, layout)
        }
        readsStoredValues = isStored
    }

    /// Whether an object matches.
    func matches(_ object: NSManagedObject) -> Bool { filter?.matches(object) ?? true }
}

/// What was found: objects as a store holds them, objects of the context, and the order of both together.
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
        guard !keys.isEmpty else { return }
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

    /// The objects of a context in order.
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

    /// What two functions make of the objects, in order.
    func inOrder<Result>(
        _ ofStored: (MemoryObject) -> Result, _ ofObject: (NSManagedObject) -> Result
    ) -> [Result] {
        guard let places else { return stored.map(ofStored) + objects.map(ofObject) }
        return places.map { $0 < stored.count ? ofStored(stored[$0]) : ofObject(objects[$0 - stored.count]) }
    }
}
