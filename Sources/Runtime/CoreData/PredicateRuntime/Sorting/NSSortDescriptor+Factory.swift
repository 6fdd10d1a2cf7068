public import Foundation
internal import RuntimeSupport

extension FoundationFactory where Self: NSSortDescriptor {
    init(made descriptor: NSSortDescriptor) {
        guard let result = descriptor as? Self else {
            misuse("NSInvalidArgumentException", "subclasses of NSSortDescriptor cannot be made by key")
        }
        self = result
    }

    /// Creates a descriptor that sorts by the value of a key path: strings by their code units, numbers and dates by
    /// their value, `nil` first.
    ///
    /// - Parameters:
    ///   - key: A key path of to-one relationships and attributes; `nil` for the objects themselves.
    ///   - ascending: Whether small values come first.
    public init(key: String?, ascending: Bool) {
        self.init(made: KeySortDescriptor(key: key ?? "self", isAscending: ascending))
    }

    /// Creates a descriptor that sorts by the value of a key path, in the order that a method of the values determines.
    ///
    /// - Parameters:
    ///   - key: A key path of to-one relationships and attributes; `nil` for the objects themselves.
    ///   - ascending: Whether to sort in ascending order.
    ///   - selector: The method: one of the members of `Selector`, or one that the values implement with
    ///     `PredicateCallable`; nil for `compare:`.
    public init(key: String?, ascending: Bool, selector: Selector?) {
        self.init(made: KeySortDescriptor(key: key ?? "self", isAscending: ascending, selector: selector ?? .compare))
    }

    /// Creates a descriptor that sorts by the value of a key path with a custom comparator.
    ///
    /// - Parameters:
    ///   - key: A key path of to-one relationships and attributes; `nil` for the objects themselves.
    ///   - ascending: Whether to sort in ascending order.
    ///   - cmptr: The comparator. It receives `NSNull` for `nil`.
    public init(key: String?, ascending: Bool, comparator cmptr: @escaping Comparator) {
        self.init(made: KeySortDescriptor(key: key ?? "self", isAscending: ascending, order: cmptr))
    }
}

extension NSSortDescriptor {
    /// The key path to sort by; `nil` for a descriptor that Foundation created from a Swift key path of a class other
    /// than a managed object's.
    public var key: String? { (self as? KeySortDescriptor)?.keyText }

    /// The method that determines the order; `nil` if a comparator does.
    public var selector: Selector? {
        guard let descriptor = self as? KeySortDescriptor, descriptor.order == nil else { return nil }
        return descriptor.selectorName
    }

    /// Does nothing: the selector in an archived descriptor is never called by name.
    public func allowEvaluation() {}
}
