/// Faults whose values are loaded together when the first of them is needed.
///
/// Confined to the queue of the context.
struct FaultBatches {
    private final class Batch {
        let ids: [NSManagedObjectID]

        init(_ ids: [NSManagedObjectID]) {
            self.ids = ids
        }
    }

    private var batches: [NSManagedObjectID: Batch] = [:]
    /// The number of faults beyond which those of released objects are dropped.
    private var limit = smallestLimit

    private static let smallestLimit = 1000

    var isEmpty: Bool { batches.isEmpty }

    /// Groups the faults of a fetch into batches.
    ///
    /// - Parameters:
    ///   - ids: Their IDs, in the order of the fetch.
    ///   - size: The size of a batch.
    ///   - registry: The objects of the context. Batches of released objects are dropped.
    mutating func add(_ ids: [NSManagedObjectID], size: Int, _ registry: ObjectRegistry) {
        if batches.count > limit {
            batches = batches.filter { registry[$0.key] != nil }
            limit = max(Self.smallestLimit, batches.count * 2)
        }
        var start = 0
        while start < ids.count {
            let batch = Batch(Array(ids[start..<min(start + size, ids.count)]))
            for id in batch.ids { batches[id] = batch }
            start += size
        }
    }

    /// Removes the batch that contains a fault, and returns its IDs. Returns `nil` if no batch does.
    mutating func take(_ id: NSManagedObjectID) -> [NSManagedObjectID]? {
        guard let batch = batches[id] else { return nil }
        for id in batch.ids where batches[id] === batch { batches[id] = nil }
        return batch.ids
    }
}
