internal import Foundation

/// What a change does to the objects of a to-many relationship.
struct MemberDifference {
    var kind: NSKeyValueChange
    var objects: [NSManagedObject]
    /// Their places in an ordered relationship.
    var indexes: IndexSet?
    var isOrdered: Bool

    /// The objects in the type of the relationship.
    var collection: NSObject { isOrdered ? NSOrderedSet(array: objects) : NSSet(array: objects) }
}

/// Who observes the properties of one object.
///
/// An object has one as long as somebody observes it; generated accessors then go the slow way, which announces changes.
/// Confined to the queue of the object's context.
@usableFromInline
final class ObjectObservers {
    /// One part of an observed key path.
    struct Link {
        let observation: KeyPathObservation
        let chain: Int
        let level: Int
    }

    /// The object; it keeps this one, so that it is there as long as anybody asks.
    private unowned(unsafe) let object: NSManagedObject
    private(set) var links: [String: [Link]] = [:]
    /// Who is told that the object changes, whatever property it is; nil until someone subscribes.
    private(set) var subscribers: WillChangeSubscribers?
    /// Observations that last until their observers are removed.
    var added: [AddedObserver] = []
    /// Changes that have begun and not ended, by key: inner ones are parts of the outer one.
    private var pending: [String: Int] = [:]

    init(_ object: NSManagedObject) {
        self.object = object
    }

    var owner: NSManagedObject { object }

    func add(_ link: Link, _ key: String) {
        links[key, default: []].append(link)
    }

    func remove(_ observation: KeyPathObservation, chain: Int, level: Int, _ key: String) {
        links[key]?.removeAll { $0.observation === observation && $0.chain == chain && $0.level == level }
        if links[key]?.isEmpty == true { links[key] = nil }
        endIfUnused()
    }

    /// Returns the subscribers of `objectWillChange`.
    func makeSubscribers() -> WillChangeSubscribers {
        if let subscribers { return subscribers }
        let subscribers = WillChangeSubscribers()
        self.subscribers = subscribers
        return subscribers
    }

    /// Returns the object to its fast accessors once it has no observers. Subscriptions end on any thread, and are noticed
    /// at the next change.
    private func endIfUnused() {
        if subscribers?.isEmpty == true { subscribers = nil }
        if links.isEmpty, subscribers == nil { object.stopAnnouncing() }
    }

    /// A property is going to change.
    ///
    /// - Parameter isSure: whether the change will happen. If not, no `willChange` is sent.
    func willChange(_ key: String, _ difference: MemberDifference? = nil, isSure: Bool = true) {
        pending[key, default: 0] += 1
        guard pending[key] == 1 else { return }
        if isSure { subscribers?.send() }
        for link in links[key] ?? [] { link.observation.willChange(link, difference, isSure: isSure) }
    }

    /// A property has changed.
    func didChange(_ key: String) {
        guard let count = pending[key] else { return }
        pending[key] = count == 1 ? nil : count - 1
        guard count == 1 else { return }
        for link in links[key] ?? [] { link.observation.didChange(link) }
        if pending.isEmpty { endIfUnused() }
    }

    /// A property that might have changed has not.
    func didNotChange(_ key: String) {
        guard let count = pending[key] else { return }
        pending[key] = count == 1 ? nil : count - 1
        guard count == 1 else { return }
        for link in links[key] ?? [] { link.observation.didNotChange() }
    }
}
