/// Objects for the results of stores.
extension NSManagedObjectContext {
    /// Returns objects for those of an in-memory store, either all or those at given indices.
    final func makeObjects(for stored: [MemoryObject], at places: ArraySlice<Int>?) -> [NSManagedObject] {
        checkQueue()
        return registry.objects(for: stored, at: places, orMake: makeFault)
    }

    /// Returns the objects for rows, whose values they adopt on first use.
    final func makeObjects(for rows: FetchedRows) throws -> [NSManagedObject] {
        let place = rows.place
        var objects: [NSManagedObject] = []
        var maker = RowObjectMaker(self)
        try rows.forEach { key, layout, row in objects.append(maker.object(key, layout: layout, row: row, identity: place)) }
        return objects
    }
}

/// Finds or creates the objects of rows, whose values they adopt on first use.
struct RowObjectMaker {
    private let context: NSManagedObjectContext
    private let registry: ObjectRegistry
    /// Rows of a past generation are not kept for later: the context may advance to the present.
    private let isPresent: Bool
    /// The kind of the last row: rows of the same entity are mostly adjacent.
    private var kind: FaultKind?

    init(_ context: NSManagedObjectContext) {
        self.context = context
        registry = context.registry
        isPresent = context.reading.token == nil
    }

    /// Returns the object of a row.
    @inline(__always)
    mutating func object(
        _ key: Int64, layout: EntityLayout, row: consuming Row, identity place: StorePlace
    ) -> NSManagedObject {
        if let known = registry.object(key, layout: layout, identity: place) {
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
        let object = context.makeFault(key, kind: faultKind, identity: place)
        if isPresent { object.notePending(row) }
        return object
    }
}
