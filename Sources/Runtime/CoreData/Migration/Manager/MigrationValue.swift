internal import Foundation
internal import RuntimeSupport

/// Converts the values of expressions to those of properties.
enum MigrationValue {
    /// The reason why a value cannot be set.
    struct UnsupportedValue: Error {
        var reason: String
    }

    /// Returns the managed objects in a value, which may be `nil`, an object or a collection.
    static func objects(in value: Any?) -> [NSManagedObject] {
        elements(of: value).compactMap { $0 as? NSManagedObject }
    }

    /// Returns the elements of a collection, or the value itself; none for `nil`.
    static func elements(of value: Any?) -> [Any] {
        switch Unwrapping.value(value) {
        case nil: []
        case let set as NSOrderedSet: set.array
        case let set as NSSet: set.allObjects
        case let array as NSArray: array.map { $0 }
        case let array as [Any]: array
        case let set as Set<AnyHashable>: set.map(\.base)
        case let other?: [other]
        }
    }

    /// Converts a value to the type of an attribute's slot. Unlike key-value coding, rejects numbers that do not fit,
    /// and converts other numbers to decimal ones.
    static func slotValue(_ value: Any, _ attribute: NSAttributeDescription) throws(UnsupportedValue) -> SlotValue {
        let type = attribute.attributeType
        if let number = value as? NSNumber, type == .decimalAttributeType, !(number is NSDecimalNumber) {
            return .object(NSDecimalNumber(decimal: number.decimalValue))
        }
        if let range = type.integerRange, let number = value as? NSNumber,
            !(Double(range.lowerBound)...Double(range.upperBound)).contains(number.doubleValue)
        {
            throw UnsupportedValue(reason: "the value \(number) does not fit \(name(of: type))")
        }
        guard let converted = ValueConversion.slotValue(value, type) else { throw mismatch(value, attribute) }
        return converted
    }

    /// Returns the error for a value of another type.
    static func mismatch(_ value: Any, _ attribute: NSAttributeDescription) -> UnsupportedValue {
        UnsupportedValue(
            reason:
                "a value of the type \(type(of: value)) is not \(name(of: attribute.attributeType)): \(excerpt(of: value))"
        )
    }

    /// Returns the name of a type for messages, with its article.
    private static func name(of type: NSAttributeType) -> String {
        switch type {
        case .integer16AttributeType: "an Integer 16"
        case .integer32AttributeType: "an Integer 32"
        case .integer64AttributeType: "an Integer 64"
        default: "a \(type.valueClassName ?? "value of the attribute's type")"
        }
    }

    private static func excerpt(of value: Any) -> String {
        let text = "\(value)"
        return text.count > 60 ? text.prefix(60) + "…" : text
    }
}
