public import Foundation

/// The way in which a migration obtains the value of a property.
///
/// ```swift
/// let title = NSPropertyMapping()
/// title.name = "title"
/// title.valueExpression = NSExpression(format: "$source.name")
/// ```
///
/// Not thread-safe. Must not change while a migration uses it.
open class NSPropertyMapping: NSObject, KeyValueReadable {
    /// The name of the property in the destination entity.
    open var name: String?
    /// The expression for the value; `nil` leaves the property at its default.
    ///
    /// It may use the variables `$source`, `$destination`, `$manager`, `$entityMapping`, `$propertyMapping` and
    /// `$entityPolicy`.
    open var valueExpression: NSExpression?
    /// Custom values for the policy.
    open var userInfo: [AnyHashable: Any]?

    /// Whether objects without a value get the default value, as an inferred mapping of an attribute that became
    /// required does.
    final var fillsInDefault = false

    /// Creates a mapping without a name or a value.
    public override init() {
        super.init()
    }

    /// Returns `name`, `valueExpression` or `userInfo` for expressions. Traps on any other key.
    open func value(forKey key: String) -> Any? {
        switch key {
        case "name": return name
        case "valueExpression": return valueExpression
        case "userInfo": return userInfo.map { $0 as NSDictionary }
        default: misuseOfUndefinedKey(key, type: "NSPropertyMapping", description: name ?? "")
        }
    }

    /// Returns whether the other is a property mapping with the same content.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPropertyMapping else { return false }
        return self === other
            || name == other.name && valueExpression == other.valueExpression && fillsInDefault == other.fillsInDefault
                && Self.areEqual(userInfo, other.userInfo)
    }

    /// The hash of the name.
    open override var hash: Int { name.hashValue }

    /// Returns whether the custom values of two mappings are equal.
    static func areEqual(_ one: [AnyHashable: Any]?, _ other: [AnyHashable: Any]?) -> Bool {
        let (one, other) = (one ?? [:], other ?? [:])
        return one.count == other.count
            && one.allSatisfy { key, value in
                guard let value = value as? AnyHashable, let same = other[key] as? AnyHashable else { return false }
                return value == same
            }
    }

    /// The name and the value, for debugging.
    open override var description: String {
        "NSPropertyMapping: name \(name ?? "(null)"), valueExpression \(valueExpression?.description ?? "(null)")"
    }
}
