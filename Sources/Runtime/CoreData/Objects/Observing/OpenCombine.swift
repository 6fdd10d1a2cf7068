#if OpenCombine
public import OpenCombine

/// Conformance to OpenCombine's publisher protocol. Subscribers are called on the queue of the object's context.
extension ManagedObjectWillChangePublisher: Publisher {
    /// The publisher only signals that a property changes, not which.
    public typealias Output = Void
    /// The publisher never fails.
    public typealias Failure = Never

    /// Adds a subscriber.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Void, Downstream.Failure == Never {
        let gate = Gate(subscriber)
        // The subscriber must receive its subscription before the first value.
        subscriber.receive(subscription: gate)
        gate.subscription = subscribe {
            gate.send()
        } completion: {
            gate.finish()
        }
    }

    /// Forwards as many changes as the subscriber has requested.
    private final class Gate<Downstream: Subscriber>: Subscription
    where Downstream.Input == Void, Downstream.Failure == Never {
        private var downstream: Downstream?
        private var demand = Subscribers.Demand.none
        var subscription: WillChangeSubscribers.Subscription? {
            didSet { if downstream == nil { subscription?.cancel() } }
        }

        init(_ downstream: Downstream) {
            self.downstream = downstream
        }

        func request(_ demand: Subscribers.Demand) { self.demand += demand }

        func cancel() {
            downstream = nil
            subscription?.cancel()
        }

        func send() {
            guard let downstream, demand > .none else { return }
            demand -= 1
            demand += downstream.receive(())
        }

        func finish() {
            downstream?.receive(completion: .finished)
            downstream = nil
        }
    }
}

/// Managed objects notify their observers before they change, as on Apple's platforms.
extension NSManagedObject: OpenCombine.ObservableObject {}
#endif
