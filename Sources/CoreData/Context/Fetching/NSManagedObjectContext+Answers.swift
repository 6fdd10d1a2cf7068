/// Objects of what stores have found.
extension NSManagedObjectContext {
    /// Returns the objects for objects of a store in memory, all or those at some places.
    final func objects(for stored: [MemoryObject], at places: ArraySlice<Int>?) -> [NSManagedObject] {
        checkQueue()
        return registry.objects(for: stored, at: places, orMake: makeFault)
    }

    /// Returns the objects for rows, whose values they take when they are first used.
    final func objects(for rows: FetchedRows) throws -> [NSManagedObject] {
        let (registry, place) = (registry, rows.place)
        // Rows of the past are not kept for later: the context may go on to the present.
        let isPresent = reading.token == nil
        var objects: [NSManagedObject] = []
        var kind: FaultKind?
        try rows.forEach { key, layout, row in
            if let known = registry.object(key, layout, place) {
                if isPresent { known.notePending(row) }
                return objects.append(known)
            }
            let faultKind: FaultKind
            if let kind, kind.known === layout {
                faultKind = kind
            } else {
                faultKind = self.faultKind(layout)
                kind = faultKind
            }
            let object = makeFault(key, faultKind, place)
            if isPresent { object.notePending(row) }
            objects.append(consume object)
        }
        return objects
    }
}
