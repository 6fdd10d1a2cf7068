/// Objects of what stores have found.
extension NSManagedObjectContext {
    /// Returns the objects for objects of a store in memory, all or those at some places.
    final func objects(for stored: [MemoryObject], at places: ArraySlice<Int>?) -> [NSManagedObject] {
        checkQueue()
        return registry.objects(for: stored, at: places, orMake: makeFault)
    }

    /// Returns the objects for rows, whose values they take when they are first used.
    final func objects(for rows: FetchedRows) throws -> [NSManagedObject] {
        let place = rows.place
        var objects: [NSManagedObject] = []
        var maker = RowObjectMaker(self)
        try rows.forEach { key, layout, row in objects.append(maker.object(key, layout, row, place)) }
        return objects
    }
}

/// Finds or makes the objects of rows, which take their values when they are first used.
struct RowObjectMaker {
    private let context: NSManagedObjectContext
    private let registry: ObjectRegistry
    /// Rows of the past are not kept for later: the context may go on to the present.
    private let isPresent: Bool
    /// Rows of one entity mostly follow each other.
    private var kind: FaultKind?

    init(_ context: NSManagedObjectContext) {
        self.context = context
        registry = context.registry
        isPresent = context.reading.token == nil
    }

    /// Returns the object of a row.
    @inline(__always)
    mutating func object(
        _ key: Int64, _ layout: EntityLayout, _ row: consuming Row, _ place: StorePlace
    ) -> NSManagedObject {
        if let known = registry.object(key, layout, place) {
            if isPresent { known.notePending(row) }
            return known
        }
        let faultKind: FaultKind
        if let kind, kind.known === layout {
            faultKind = kind
        } else {
            faultKind = context.faultKind(layout)
            kind = faultKind
        }
        let object = context.makeFault(key, faultKind, place)
        if isPresent { object.notePending(row) }
        return object
    }
}
