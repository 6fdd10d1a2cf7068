public import Foundation

/// A position in the histories of stores.
///
/// ```swift
/// let token = coordinator.currentPersistentHistoryToken(fromStores: nil)
/// let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
/// ```
///
/// Archive tokens with `NSKeyedArchiver` and secure coding, for example to keep them in user defaults. Equal tokens
/// name the same position. Immutable and thread-safe.
open class NSPersistentHistoryToken: NSObject, NSCopying, NSSecureCoding, PredicateOrdered, @unchecked Sendable {
    /// The number of the last transaction, by the UUIDs of the stores.
    package let numbers: [String: Int64]

    private static let key = "storeTokens"

    package init(_ numbers: [String: Int64]) {
        self.numbers = numbers
        super.init()
    }

    /// Unarchives a token. Returns `nil` if the data is invalid.
    public required init?(coder: NSCoder) {
        let dictionary = coder.decodeObject(
            of: [NSDictionary.self, NSString.self, NSNumber.self], forKey: Self.key)
        guard let pairs = dictionary as? [String: NSNumber] else { return nil }
        numbers = pairs.mapValues(\.int64Value)
        super.init()
    }

    /// Always `true`.
    public static var supportsSecureCoding: Bool { true }

    /// Archives the token.
    open func encode(with coder: NSCoder) {
        let pairs = NSMutableDictionary()
        for (uuid, number) in numbers { pairs[uuid as NSString] = NSNumber(value: number) }
        coder.encode(pairs.copy() as? NSDictionary, forKey: Self.key)
    }

    /// Returns the token itself, which is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns whether both stand for the same position in the same stores.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSPersistentHistoryToken)?.numbers == numbers
    }

    /// Returns whether the position is before or after another, or `nil` if it is before in one store and after in
    /// another.
    ///
    /// Only stores in both tokens are compared. A token without a store precedes all of its history.
    package final func predicateOrder(_ other: any PredicateOrdered) -> ValueOrder? {
        guard let other = other as? NSPersistentHistoryToken else { return nil }
        let common = numbers.keys.filter { other.numbers[$0] != nil }
        guard !common.isEmpty else {
            return numbers.isEmpty == other.numbers.isEmpty ? nil : numbers.isEmpty ? .ascending : .descending
        }
        var orders: Set<ValueOrder> = []
        for store in common {
            guard let left = numbers[store], let right = other.numbers[store] else { continue }
            orders.insert(ValueOrder(left, right))
        }
        if orders.count > 1 { orders.remove(.same) }
        return orders.count == 1 ? orders.first : nil
    }

    /// The hash of the numbers.
    open override var hash: Int { numbers.hashValue }

    /// The numbers, for debugging.
    open override var description: String {
        let list = numbers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        return "<NSPersistentHistoryToken: {\(list.joined(separator: ", "))}>"
    }
}
