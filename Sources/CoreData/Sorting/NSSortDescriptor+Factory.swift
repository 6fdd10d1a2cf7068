public import Foundation

extension FoundationFactory where Self: NSSortDescriptor {
    private init(_ descriptor: NSSortDescriptor) {
        guard let result = descriptor as? Self else {
            misuse("NSInvalidArgumentException", "subclasses of NSSortDescriptor cannot be made by key")
        }
        self = result
    }

    /// Creates a descriptor that sorts by the value of a key path: strings by their code units, numbers and dates by
    /// their value, nil first.
    ///
    /// - Parameters:
    ///   - key: a key path of to-one relationships and attributes; nil for the objects themselves.
    ///   - ascending: whether small values come first.
    public init(key: String?, ascending: Bool) {
        self.init(KeySortDescriptor(key: key ?? "self", isAscending: ascending))
    }

    /// Creates a descriptor that sorts by the value of a key path, in the order that a method of the values determines.
    ///
    /// - Parameters:
    ///   - key: a key path of to-one relationships and attributes; nil for the objects themselves.
    ///   - ascending: whether what comes first in the order comes first.
    ///   - selector: the method: one of the members of `Selector`, or one that the values implement with
    ///     `PredicateCallable`; nil for `compare:`.
    public init(key: String?, ascending: Bool, selector: Selector?) {
        self.init(KeySortDescriptor(key: key ?? "self", isAscending: ascending, selector: selector ?? .compare))
    }

    /// Creates a descriptor that sorts by the value of a key path with a custom comparator.
    ///
    /// - Parameters:
    ///   - key: a key path of to-one relationships and attributes; nil for the objects themselves.
    ///   - ascending: whether what comes first in the order comes first.
    ///   - cmptr: the comparator. It receives `NSNull` for nil.
    public init(key: String?, ascending: Bool, comparator cmptr: @escaping Comparator) {
        self.init(KeySortDescriptor(key: key ?? "self", isAscending: ascending, order: cmptr))
    }

    /// Creates a descriptor with the same order as Swift's `SortDescriptor`.
    ///
    /// A `SortDescriptor` whose key path ends at a property of the model becomes a descriptor with that key, which
    /// stores support. Any other is called to compare the objects, which only works in memory.
    public init<Compared: NSObject>(_ sortDescriptor: SortDescriptor<Compared>) {
        let isAscending = sortDescriptor.order == .forward
        if let key = sortDescriptor.keyPath.flatMap(PropertyKeyPath.property) {
            self.init(KeySortDescriptor(key: key, isAscending: isAscending))
            return
        }
        // The result of its comparison includes its direction, even if that was reversed after its creation.
        self.init(
            KeySortDescriptor(key: "self", isAscending: isAscending) { one, other in
                guard let one = one as? Compared, let other = other as? Compared else { return .orderedSame }
                return isAscending ? sortDescriptor.compare(one, other) : sortDescriptor.compare(other, one)
            })
    }
}

// Members of the class rather than of the factory, so that they are preferred over Foundation's own, which do not
// support keys.
extension NSSortDescriptor {
    /// Creates a descriptor that sorts by the property at the end of a Swift key path, such as `\Book.author?.name`.
    ///
    /// Traps, as on Apple's platforms, if the key path does not end at a property of a model in use; see
    /// `PropertyKeyPath` for the requirements.
    ///
    /// - Parameters:
    ///   - keyPath: a path of to-one relationships and an attribute.
    ///   - ascending: whether small values come first.
    public convenience init<Root: NSManagedObject, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
        self.init(key: PropertyKeyPath.requiredString(of: keyPath), ascending: ascending)
    }

    /// Creates a descriptor that sorts by the property at the end of a Swift key path; see `init(keyPath:ascending:)`.
    public convenience init<Root: NSManagedObject, Value: Comparable>(
        keyPath: KeyPath<Root, Value>, ascending: Bool
    ) {
        self.init(key: PropertyKeyPath.requiredString(of: keyPath), ascending: ascending)
    }

    /// Creates a descriptor that sorts by the property at the end of a Swift key path with a custom comparator; see
    /// `init(keyPath:ascending:)`.
    public convenience init<Root: NSManagedObject, Value>(
        keyPath: KeyPath<Root, Value>, ascending: Bool, comparator cmptr: @escaping Comparator
    ) {
        self.init(key: PropertyKeyPath.requiredString(of: keyPath), ascending: ascending, comparator: cmptr)
    }

    /// The key path to sort by; nil for a descriptor that Foundation created from a Swift key path of a class other
    /// than a managed object's.
    public var key: String? { (self as? KeySortDescriptor)?.keyText }

    /// The method that determines the order; nil if a comparator does.
    public var selector: Selector? {
        guard let descriptor = self as? KeySortDescriptor, descriptor.order == nil else { return nil }
        return descriptor.selectorName
    }

    /// Does nothing: the selector in an archived descriptor is never called by name.
    public func allowEvaluation() {}
}
