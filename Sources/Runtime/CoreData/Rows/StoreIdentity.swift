internal import Foundation

/// The store that IDs refer to: one object shared by all IDs, because a weak reference in each would make every use of
/// the store slow.
///
/// Thread-safe.
@usableFromInline
package final class StoreIdentity: @unchecked Sendable {
    private let lock = NSLock()
    private var currentUUID: String
    private weak var currentOwner: AnyObject?
    /// The coordinator's layouts, which IDs refer to.
    private let layouts: [EntityLayout]
    /// Whether it retains them: a removed store has no coordinator.
    let keepsLayouts: Bool

    /// - Parameters:
    ///   - owner: The store.
    ///   - layouts: The layouts of its coordinator.
    init(uuid: String, owner: AnyObject, layouts: [EntityLayout]) {
        currentUUID = uuid
        currentOwner = owner
        self.layouts = layouts
        keepsLayouts = !layouts.isEmpty
    }

    /// The store's UUID. It changes when a program gives the open store another one.
    var uuid: String {
        get { lock.withLock { currentUUID } }
        set { lock.withLock { currentUUID = newValue } }
    }

    /// The open store with the UUID; `nil` while there is none. A store that is removed and added again gets the same
    /// identity, so that the IDs of objects find it.
    var owner: AnyObject? {
        get { lock.withLock { currentOwner } }
        set { lock.withLock { currentOwner = newValue } }
    }
}
