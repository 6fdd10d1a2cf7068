internal import Foundation

/// The subscribers that are notified before an object changes. An object has an instance from its first subscription
/// on.
///
/// Subscriptions end on any thread; everything else happens on the queue of the object's context.
final class WillChangeSubscribers: @unchecked Sendable {
    private struct Subscriber {
        let number: Int
        let receive: () -> Void
        let completion: () -> Void
    }

    private let lock = NSLock()
    /// The subscribers in the order of their subscriptions, guarded by the lock.
    private var subscribers: [Subscriber] = []
    private var last = 0

    /// A subscription. It ends when it is cancelled, not when it is released.
    struct Subscription: Sendable {
        fileprivate weak var subscribers: WillChangeSubscribers?
        fileprivate let number: Int

        func cancel() { subscribers?.remove(number) }
    }

    var isEmpty: Bool { lock.withLock { subscribers.isEmpty } }

    func add(receive: @escaping () -> Void, completion: @escaping () -> Void) -> Subscription {
        lock.withLock {
            last += 1
            subscribers.append(Subscriber(number: last, receive: receive, completion: completion))
            return Subscription(subscribers: self, number: last)
        }
    }

    private func remove(_ number: Int) {
        // Outside of the lock: a closure may hold the last reference to an object that has subscriptions of its own.
        let removed = lock.withLock {
            let index = subscribers.firstIndex { $0.number == number }
            return index.map { subscribers.remove(at: $0) }
        }
        withExtendedLifetime(removed) {}
    }

    func send() {
        for subscriber in lock.withLock({ subscribers }) { subscriber.receive() }
    }

    deinit {
        for subscriber in subscribers { subscriber.completion() }
    }
}
