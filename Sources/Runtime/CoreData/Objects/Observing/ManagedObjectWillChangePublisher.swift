/// Announces that a managed object is about to change, like Combine's `ObservableObjectPublisher` on Apple's platforms.
///
/// ```swift
/// let changes = book.objectWillChange.values
/// Task {
///     for await _ in changes { print("changing") }
/// }
/// book.objectWillChange.send()
/// ```
///
/// With the package trait `OpenCombine` it is an OpenCombine publisher, and managed objects conform to OpenCombine's
/// `ObservableObject`.
///
/// Confined to the queue of the object's context; `values` may be iterated anywhere. An object stores nothing for its
/// publisher until the first subscription.
public struct ManagedObjectWillChangePublisher {
    private let object: NSManagedObject

    init(_ object: NSManagedObject) {
        self.object = object
    }

    /// Notifies the subscribers that the object is about to change. Does nothing without subscribers.
    public func send() { object.observers?.subscribers?.send() }

    /// The changes from now on, as an asynchronous sequence that ends when the object is deallocated.
    ///
    /// Changes made between two calls of `next()` are delivered as one element.
    public var values: AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let subscription = subscribe {
            continuation.yield()
        } completion: {
            continuation.finish()
        }
        continuation.onTermination = { _ in subscription.cancel() }
        return stream
    }

    /// Calls a closure before each change, on the queue of the object's context, until the subscription is cancelled.
    ///
    /// - Parameters:
    ///   - receive: Called before each change.
    ///   - completion: Called once, when the object is deallocated.
    func subscribe(
        receive: @escaping () -> Void, completion: @escaping () -> Void
    ) -> WillChangeSubscribers.Subscription {
        object.startAnnouncing().makeSubscribers().add(receive: receive, completion: completion)
    }
}

extension NSManagedObject {
    /// A publisher that emits before each change of the object's properties: by accessors, `setValue(_:forKey:)`, the
    /// inverse of a relationship, `willChangeValue(forKey:)`, and once for undo, rollback, refresh and merge.
    public final var objectWillChange: ManagedObjectWillChangePublisher { ManagedObjectWillChangePublisher(self) }
}
