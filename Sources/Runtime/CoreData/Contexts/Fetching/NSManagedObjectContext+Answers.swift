/// Objects for the results of stores.
extension NSManagedObjectContext {
    /// Returns objects for those of an in-memory store, either all or those at given indices.
    final func makeObjects(for stored: [MemoryObject], at positions: ArraySlice<Int>?) -> [NSManagedObject] {
        checkQueue()
        return registry.objects(for: stored, at: positions, orMake: makeFault)
    }

    /// Returns the objects for rows, whose values they adopt on first use.
    final func makeObjects(for rows: FetchedRows) throws -> FetchResults {
        let storeIdentity = rows.storeIdentity
        var objects: [NSManagedObject] = []
        var maker = RowObjectMaker(self)
        try rows.forEach { key, layout, row in
            objects.append(maker.object(key, layout: layout, row: row, storeIdentity: storeIdentity))
        }
        var results = FetchResults(objects: objects)
        results.areAllNew = !maker.hasExistingObjects
        return results
    }
}
