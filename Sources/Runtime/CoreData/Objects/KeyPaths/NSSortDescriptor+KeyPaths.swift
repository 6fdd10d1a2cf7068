public import Foundation

extension FoundationFactory where Self: NSSortDescriptor {
    /// Creates a descriptor with the same order as Swift's `SortDescriptor`.
    ///
    /// A `SortDescriptor` whose key path ends at a property of the model becomes a descriptor with that key, which
    /// stores support. Any other is called to compare the objects, which only works in memory.
    public init<Compared: NSObject>(_ sortDescriptor: SortDescriptor<Compared>) {
        let isAscending = sortDescriptor.order == .forward
        if let key = sortDescriptor.keyPath.flatMap(PropertyKeyPath.property) {
            self.init(made: KeySortDescriptor(key: key, isAscending: isAscending))
            return
        }
        // The result of its comparison includes its direction, even if that was reversed after its creation.
        self.init(
            made: KeySortDescriptor(key: "self", isAscending: isAscending) { one, other in
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
    ///   - keyPath: A path of to-one relationships and an attribute.
    ///   - ascending: Whether small values come first.
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
}
