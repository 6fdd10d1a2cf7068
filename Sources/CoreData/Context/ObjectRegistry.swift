/// The objects of a context by ID, without keeping them alive.
struct ObjectRegistry {
    private struct Weak {
        weak var object: NSManagedObject?
    }

    private var table: [NSManagedObjectID: Weak] = [:]
    /// When the table is this large, entries of objects that are gone are dropped.
    private var limit = 1024

    subscript(id: NSManagedObjectID) -> NSManagedObject? {
        get { table[id]?.object }
        set {
            guard let newValue else {
                table[id] = nil
                return
            }
            if table.count >= limit {
                table = table.filter { $0.value.object != nil }
                limit = max(1024, table.count * 2)
            }
            table[id] = Weak(object: newValue)
        }
    }

    /// All objects that are alive.
    var objects: [NSManagedObject] { table.values.compactMap(\.object) }

    mutating func removeAll() {
        table = [:]
        limit = 1024
    }
}
