public import Foundation

extension FoundationFactory where Self: NSSortDescriptor {
    /// Sorts by the value of a key path: texts by their characters, numbers and dates by their size, no value first.
    ///
    /// - Parameters:
    ///   - key: a key path of to-one relationships and attributes; nil for the objects themselves.
    ///   - ascending: whether small values come first.
    public init(key: String?, ascending: Bool) {
        guard let descriptor = KeySortDescriptor(key: key ?? "self", isAscending: ascending, order: nil) as? Self else {
            misuse("NSSortDescriptor(key:ascending:) cannot make a \(Self.self)")
        }
        self = descriptor
    }

    /// Sorts by the value of a key path, in an order of one's own.
    ///
    /// - Parameters:
    ///   - key: a key path of to-one relationships and attributes; nil for the objects themselves.
    ///   - ascending: whether what comes first in the order comes first.
    ///   - cmptr: the order.
    public init(key: String?, ascending: Bool, comparator cmptr: @escaping Comparator) {
        guard let descriptor = KeySortDescriptor(key: key ?? "self", isAscending: ascending, order: cmptr) as? Self
        else {
            misuse("NSSortDescriptor(key:ascending:comparator:) cannot make a \(Self.self)")
        }
        self = descriptor
    }
}

extension NSSortDescriptor {
    /// The key path that is sorted by; nil for a descriptor that was made of a Swift key path.
    public var key: String? { (self as? KeySortDescriptor)?.keyText }
}

/// A sort descriptor by key.
final class KeySortDescriptor: NSSortDescriptor {
    let keyText: String
    /// An order of one's own; nil for that of the values.
    let order: Comparator?

    init(key: String, isAscending: Bool, order: Comparator?) {
        keyText = key
        self.order = order
        super.init(keyPath: \NSObject.hash, ascending: isAscending)
    }

    required init?(coder: NSCoder) { nil }

    override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
        let (one, other) = (value(object1), value(object2))
        let result: ComparisonResult
        if let order {
            result = order(one ?? NSNull(), other ?? NSNull())
        } else {
            result = AttributeOrder.compare(one, other)
        }
        guard !ascending else { return result }
        switch result {
        case .orderedAscending: return .orderedDescending
        case .orderedDescending: return .orderedAscending
        case .orderedSame: return .orderedSame
        }
    }

    private func value(_ object: Any) -> Any? {
        if keyText == "self" { return object }
        return (object as? NSManagedObject)?.value(forKeyPath: keyText) ?? KeyPathValues.value(of: object, keyText)
    }

    override var reversedSortDescriptor: Any {
        KeySortDescriptor(key: keyText, isAscending: !ascending, order: order)
    }

    override func copy(with zone: NSZone? = nil) -> Any { self }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? KeySortDescriptor else { return false }
        return keyText == other.keyText && ascending == other.ascending && (order == nil) == (other.order == nil)
    }

    override var hash: Int { keyText.hashValue }

    override var description: String { "(\(keyText), \(ascending ? "ascending" : "descending"), compare:)" }
}
