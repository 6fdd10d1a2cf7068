#if OpenCombine
public import Foundation
public import OpenCombine

/// Managed objects notify their observers before they change, as on Apple's platforms.
extension NSManagedObject: OpenCombine.ObservableObject {}

/// Conformance to OpenCombine's publisher protocol. Subscribers are called on the queue of the object's context.
extension ManagedObjectWillChangePublisher: OpenCombine.Publisher {
    /// The publisher only signals that a property changes, not which.
    public typealias Output = Void
    /// The publisher never fails.
    public typealias Failure = Never

    /// Adds a subscriber.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Void, Downstream.Failure == Never {
        DemandGate.connect(subscriber, keepsLatest: false) { gate in
            let subscription = subscribe {
                gate.send(())
            } completion: {
                gate.finish()
            }
            return { subscription.cancel() }
        }
    }
}

extension NSObject {
    /// Publishes the values of a property of a managed object, like Combine's publisher of the same name.
    ///
    /// It retains the object, and never completes. Subscribers are called on the queue of the object's context. A value
    /// for which a subscriber has no demand is delivered with its next demand, unless a newer one replaces it.
    public struct KeyValueObservingPublisher<Subject: NSManagedObject, Value>: OpenCombine.Publisher, Equatable {
        /// The publisher emits values of the property.
        public typealias Output = Value
        /// The publisher never fails.
        public typealias Failure = Never

        /// The observed object.
        public let object: Subject
        /// The observed property.
        public let keyPath: KeyPath<Subject, Value>
        /// Whether the current value is published immediately, and whether values are also published before each
        /// change.
        public let options: NSKeyValueObservingOptions

        /// Creates a publisher of a property: see `publisher(for:options:)`.
        public init(object: Subject, keyPath: KeyPath<Subject, Value>, options: NSKeyValueObservingOptions) {
            self.object = object
            self.keyPath = keyPath
            self.options = options
        }

        /// Returns whether two publishers observe the same property of the same object with the same options.
        public static func == (lhs: Self, rhs: Self) -> Bool {
            lhs.object === rhs.object && lhs.keyPath == rhs.keyPath && lhs.options == rhs.options
        }

        /// Returns a publisher that signals each change without its value.
        public func didChange() -> Publishers.Map<Self, Void> { map { _ in } }

        /// Adds a subscriber.
        public func receive<Downstream: Subscriber>(subscriber: Downstream)
        where Downstream.Input == Value, Downstream.Failure == Never {
            DemandGate.connect(subscriber, keepsLatest: true) { gate in
                let observation = object.observe(keyPath, options: options) { object, _ in
                    gate.send(object[keyPath: keyPath])
                }
                return { [object] in withExtendedLifetime(object) { observation.invalidate() } }
            }
        }
    }
}

extension _KeyValueCodingAndObserving where Self: NSManagedObject {
    /// Returns a publisher of a property's values: now, and after each change.
    ///
    /// - Parameters:
    ///   - keyPath: A key path that consists of properties of the entity, as for `observe(_:options:changeHandler:)`.
    ///   - options: Whether the current value is published immediately, and whether values are also published before
    ///     each change.
    public func publisher<Value>(
        for keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [.initial, .new]
    ) -> NSObject.KeyValueObservingPublisher<Self, Value> {
        NSObject.KeyValueObservingPublisher(object: self, keyPath: keyPath, options: options)
    }
}

/// Forwards as many values as a subscriber has requested.
private final class DemandGate<Downstream: Subscriber>: Subscription where Downstream.Failure == Never {
    private var downstream: Downstream?
    private var demand = Subscribers.Demand.none
    /// The newest value for which there was no demand.
    private var latest: Downstream.Input?
    private let keepsLatest: Bool
    private var stop: (() -> Void)?

    private init(_ downstream: Downstream, keepsLatest: Bool) {
        self.downstream = downstream
        self.keepsLatest = keepsLatest
    }

    /// Connects a subscriber with a source of values.
    ///
    /// - Parameters:
    ///   - keepsLatest: Whether the newest value waits for demand.
    ///   - start: Starts the source, and returns a closure that stops it.
    static func connect(_ downstream: Downstream, keepsLatest: Bool, start: (DemandGate) -> () -> Void) {
        let gate = DemandGate(downstream, keepsLatest: keepsLatest)
        // The subscriber must receive its subscription before the first value.
        downstream.receive(subscription: gate)
        guard gate.downstream != nil else { return }
        let stop = start(gate)
        // The subscriber may cancel when it receives the first value.
        if gate.downstream == nil { stop() } else { gate.stop = stop }
    }

    func request(_ demand: Subscribers.Demand) {
        self.demand += demand
        if let latest { send(latest) }
    }

    func cancel() {
        downstream = nil
        latest = nil
        stop?()
        stop = nil
    }

    func send(_ value: Downstream.Input) {
        guard let downstream else { return }
        guard demand > .none else {
            if keepsLatest { latest = value }
            return
        }
        latest = nil
        demand -= 1
        demand += downstream.receive(value)
    }

    func finish() {
        downstream?.receive(completion: .finished)
        downstream = nil
        stop = nil
    }
}
#endif
