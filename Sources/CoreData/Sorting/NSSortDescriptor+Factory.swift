public import Foundation

extension FoundationFactory where Self: NSSortDescriptor {
    private init(_ descriptor: NSSortDescriptor) {
        guard let result = descriptor as? Self else {
            misuse("NSInvalidArgumentException", "subclasses of NSSortDescriptor cannot be made by key")
        }
        self = result
    }

    /// Sorts by the value of a key path: texts by their characters, numbers and dates by their size, no value first.
    ///
    /// - Parameters:
    ///   - key: a key path of to-one relationships and attributes; nil for the objects themselves.
    ///   - ascending: whether small values come first.
    public init(key: String?, ascending: Bool) {
        self.init(KeySortDescriptor(key: key ?? "self", isAscending: ascending))
    }

    /// Sorts by the value of a key path, in the order that a method of the values gives.
    ///
    /// - Parameters:
    ///   - key: a key path of to-one relationships and attributes; nil for the objects themselves.
    ///   - ascending: whether what comes first in the order comes first.
    ///   - selector: the method, one of the members of `Selector`, or one that the values answer by `PredicateCallable`;
    ///     nil for `compare:`.
    public init(key: String?, ascending: Bool, selector: Selector?) {
        self.init(KeySortDescriptor(key: key ?? "self", isAscending: ascending, selector: selector ?? .compare))
    }

    /// Sorts by the value of a key path with a custom comparator.
    ///
    /// - Parameters:
    ///   - key: a key path of to-one relationships and attributes; nil for the objects themselves.
    ///   - ascending: whether what comes first in the order comes first.
    ///   - cmptr: the comparator. It receives `NSNull` for nil.
    public init(key: String?, ascending: Bool, comparator cmptr: @escaping Comparator) {
        self.init(KeySortDescriptor(key: key ?? "self", isAscending: ascending, order: cmptr))
    }

    /// The same order as Swift's `SortDescriptor`.
    ///
    /// One whose key path leads to a property of the model becomes a descriptor with that key, which a store understands.
    /// Any other asks the `SortDescriptor` about the objects, which works in memory only.
    public init<Compared: NSObject>(_ sortDescriptor: SortDescriptor<Compared>) {
        let isAscending = sortDescriptor.order == .forward
        if let key = sortDescriptor.keyPath.flatMap(PropertyKeyPath.property) {
            self.init(KeySortDescriptor(key: key, isAscending: isAscending))
            return
        }
        // What it says has its direction in it, also where somebody has turned it round since it was made.
        self.init(
            KeySortDescriptor(key: "self", isAscending: isAscending) { one, other in
                guard let one = one as? Compared, let other = other as? Compared else { return .orderedSame }
                return isAscending ? sortDescriptor.compare(one, other) : sortDescriptor.compare(other, one)
            })
    }
}

// Members of the class and not of the factory: so they come before Foundation's own, which know no keys.
extension NSSortDescriptor {
    /// Sorts by the property that a Swift key path leads to, such as `\Book.author?.name`.
    ///
    /// A key path that leads to no property of a model in use traps, as on Apple's platforms; see
    /// `PropertyKeyPath` for what is needed to tell.
    ///
    /// - Parameters:
    ///   - keyPath: a path of to-one relationships and an attribute.
    ///   - ascending: whether small values come first.
    public convenience init<Root: NSManagedObject, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
        self.init(key: PropertyKeyPath.requiredString(of: keyPath), ascending: ascending)
    }

    /// Sorts by the property that a Swift key path leads to; see `init(keyPath:ascending:)`.
    public convenience init<Root: NSManagedObject, Value: Comparable>(
        keyPath: KeyPath<Root, Value>, ascending: Bool
    ) {
        self.init(key: PropertyKeyPath.requiredString(of: keyPath), ascending: ascending)
    }

    /// Sorts by the property that a Swift key path leads to with a custom comparator; see `init(keyPath:ascending:)`.
    public convenience init<Root: NSManagedObject, Value>(
        keyPath: KeyPath<Root, Value>, ascending: Bool, comparator cmptr: @escaping Comparator
    ) {
        self.init(key: PropertyKeyPath.requiredString(of: keyPath), ascending: ascending, comparator: cmptr)
    }

    /// The key path that is sorted by; nil for a descriptor that Foundation made, of a Swift key path of another class than a
    /// managed object's.
    public var key: String? { (self as? KeySortDescriptor)?.keyText }

    /// The method that gives the order; nil when a comparator does.
    public var selector: Selector? {
        guard let descriptor = self as? KeySortDescriptor, descriptor.order == nil else { return nil }
        return descriptor.selectorName
    }

    /// A no-op: an archived descriptor names its selector, which is never called by name.
    public func allowEvaluation() {}
}
