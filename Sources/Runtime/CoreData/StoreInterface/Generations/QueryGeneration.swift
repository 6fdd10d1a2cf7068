/// The state of all stores of a coordinator at one point in time. Its snapshots are used under the coordinator's lock.
final class QueryGeneration: @unchecked Sendable {
    private let views: [ObjectIdentifier: AnyObject]
    private weak var owner: AnyObject?

    /// Captures the current state of the stores that support snapshots.
    ///
    /// - Parameter owner: Their coordinator.
    init(of stores: [(store: AnyObject, engine: any StoreEngine)], owner: AnyObject) throws {
        self.owner = owner
        var views: [ObjectIdentifier: AnyObject] = [:]
        for (store, engine) in stores {
            guard let view = try engine.pinGeneration() else { continue }
            views[ObjectIdentifier(store)] = view
        }
        self.views = views
    }

    /// Returns the snapshot of a store, or `nil` if the store does not support snapshots or was added later.
    func view(of store: AnyObject) -> AnyObject? { views[ObjectIdentifier(store)] }

    func belongs(to coordinator: AnyObject?) -> Bool { coordinator != nil && owner === coordinator }
}
