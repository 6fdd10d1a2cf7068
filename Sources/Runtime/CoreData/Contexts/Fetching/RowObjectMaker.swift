/// Finds or creates the objects of rows, whose values they adopt on first use.
struct RowObjectMaker {
    private let context: NSManagedObjectContext
    private let registry: ObjectRegistry
    /// Rows of a past generation are not kept for later: the context may advance to the present.
    private let isPresent: Bool
    /// The kind of the last row: rows of the same entity are mostly adjacent.
    private var kind: FaultKind?
    /// Whether objects were found, rather than created.
    private(set) var hasExistingObjects = false

    init(_ context: NSManagedObjectContext) {
        self.context = context
        registry = context.registry
        isPresent = context.reading.token == nil
    }

    @inline(__always)
    mutating func object(
        _ key: Int64, layout: EntityLayout, row: consuming Row, storeIdentity: StoreIdentity
    ) -> NSManagedObject {
        if let registered = registry.object(key, layout: layout, storeIdentity: storeIdentity) {
            hasExistingObjects = true
            if isPresent { registered.recordPending(row) }
            return registered
        }
        let faultKind: FaultKind
        if let kind, kind.idLayout === layout {
            faultKind = kind
        } else {
            faultKind = context.faultKind(layout)
            kind = faultKind
        }
        let object = context.makeFault(key, kind: faultKind, storeIdentity: storeIdentity)
        if isPresent { object.recordPending(row) }
        return object
    }
}
