internal import Foundation

/// Who is told before an object changes. An object has one from its first subscription on.
///
/// Subscriptions end on any thread; everything else happens on the queue of the object's context.
final class WillChangeSubscribers: @unchecked Sendable {
    private struct Subscriber {
        let number: Int
        let receive: () -> Void
        let completion: () -> Void
    }

    private let lock = NSLock()
    /// In the order of their subscriptions. Under the lock.
    private var subscribers: [Subscriber] = []
    private var last = 0

    /// Ends a subscription when it is cancelled; released, it lasts.
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
        // What a closure holds may be the last reference to something that subscribes, too.
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
