internal import Foundation

/// The objects that a change adds to or removes from a to-many relationship.
struct MemberDifference {
    var kind: NSKeyValueChange
    var objects: [NSManagedObject]
    /// The indexes of the objects in an ordered relationship.
    var indexes: IndexSet?
    var isOrdered: Bool

    /// The objects as a collection of the relationship's type.
    var collection: NSObject { isOrdered ? NSOrderedSet(array: objects) : NSSet(array: objects) }
}

/// The observers of the properties of one object.
///
/// It exists while the object is observed. Generated accessors then take the slow path, which announces changes.
/// Confined to the queue of the object's context.
@usableFromInline
final class ObjectObservers {
    /// One part of an observed key path.
    struct Link {
        let observation: KeyPathObservation
        let chain: Int
        let level: Int
    }

    /// The observed object, which retains this instance; `nil` once its destruction has begun, on any thread.
    private(set) weak var owner: NSManagedObject?
    private(set) var links: [String: [Link]] = [:]
    /// The subscribers of changes of any property, or `nil` until the first subscription.
    private(set) var subscribers: WillChangeSubscribers?
    /// Observations that last until their observers are removed.
    var added: [AddedObserver] = []
    /// The number of changes in progress by key. Nested changes are parts of the outermost one.
    private var pending: [String: Int] = [:]

    init(_ object: NSManagedObject) {
        owner = object
    }

    func add(_ link: Link, _ key: String) {
        links[key, default: []].append(link)
    }

    func remove(_ observation: KeyPathObservation, chain: Int, level: Int, _ key: String) {
        links[key]?.removeAll { $0.observation === observation && $0.chain == chain && $0.level == level }
        if links[key]?.isEmpty == true { links[key] = nil }
        endIfUnused()
    }

    /// Returns the subscribers of `objectWillChange`, creating the list if necessary.
    func makeSubscribers() -> WillChangeSubscribers {
        if let subscribers { return subscribers }
        let subscribers = WillChangeSubscribers()
        self.subscribers = subscribers
        return subscribers
    }

    /// Restores the object's fast accessors once it has no observers. Subscriptions may end on any thread, which is
    /// detected at the next change.
    private func endIfUnused() {
        if subscribers?.isEmpty == true { subscribers = nil }
        if links.isEmpty, subscribers == nil { owner?.stopAnnouncing() }
    }

    /// Announces that a property is about to change.
    ///
    /// - Parameter isSure: Whether the change will happen. If not, no `willChange` is sent.
    func willChange(_ key: String, _ difference: MemberDifference? = nil, isSure: Bool = true) {
        pending[key, default: 0] += 1
        guard pending[key] == 1 else { return }
        if isSure { subscribers?.send() }
        for link in links[key] ?? [] { link.observation.willChange(link, difference, isSure: isSure) }
    }

    /// Announces that a property has changed.
    func didChange(_ key: String) {
        guard let count = pending[key] else { return }
        pending[key] = count == 1 ? nil : count - 1
        guard count == 1 else { return }
        for link in links[key] ?? [] { link.observation.didChange(link) }
        if pending.isEmpty { endIfUnused() }
    }

    /// Ends an announced change of a property that did not happen.
    func didNotChange(_ key: String) {
        guard let count = pending[key] else { return }
        pending[key] = count == 1 ? nil : count - 1
        guard count == 1 else { return }
        for link in links[key] ?? [] { link.observation.didNotChange() }
    }
}
