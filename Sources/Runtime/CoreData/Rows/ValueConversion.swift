internal import Foundation

/// Converts key-value coding values to slot values.
package enum ValueConversion {
    /// Returns the slot value of an attribute, or `nil` if the value's class does not match the attribute.
    ///
    /// - Parameter value: The value, which is neither `nil` nor `NSNull`.
    package static func slotValue(_ value: Any, _ type: NSAttributeType) -> SlotValue? {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            return integer(value, type).map { .integer($0) }
        case .booleanAttributeType:
            if let flag = value as? Bool { return .boolean(flag) }
            return (value as? NSNumber).map { .boolean($0.boolValue) }
        case .doubleAttributeType: return real(value).map { .double($0) }
        case .floatAttributeType: return real(value).map { .float(Float($0)) }
        case .decimalAttributeType:
            if let number = value as? NSDecimalNumber { return .object(number) }
            if let number = value as? Decimal { return .object(NSDecimalNumber(decimal: number)) }
            // Other NSNumbers are rejected, as Apple's framework does.
            return nil
        case .stringAttributeType: return (value as? String).map { .string($0) }
        case .dateAttributeType: return (value as? Date).map { .date($0) }
        case .binaryDataAttributeType: return (value as? Data).map { .data($0) }
        case .UUIDAttributeType: return (value as? UUID).map { .uuid($0) }
        case .URIAttributeType: return (value as? URL).map { .boxed(ValueBox($0)) }
        case .objectIDAttributeType: return (value as? NSManagedObjectID).map { .object($0) }
        default: return untyped(value)
        }
    }

    /// Returns the slot value of a transformable, composite or undefined attribute, for a value of any class.
    private static func untyped(_ value: Any) -> SlotValue {
        if let text = value as? String { return .string(text) }
        if let date = value as? Date { return .date(date) }
        if let data = value as? Data { return .data(data) }
        if type(of: value) is AnyClass { return .object(value as AnyObject) }
        // As an NSNumber, it casts to every type of numbers that it fits, as on Apple's platforms.
        if isNumber(type(of: value)), let number = value as? NSNumber { return .object(number) }
        return .boxed(ValueBox(value))
    }

    private static func isNumber(_ type: Any.Type) -> Bool {
        type is any BinaryInteger.Type || type == Double.self || type == Float.self || type == Bool.self
    }

    private static func integer(_ value: Any, _ type: NSAttributeType) -> Int64? {
        let whole: Int64
        // Comparing types is faster than a cast that fails.
        if Swift.type(of: value) == Int64.self, let number = value as? Int64 {
            whole = number
        } else {
            switch value {
            case let number as Int: whole = Int64(number)
            case let number as Int64: whole = number
            case let number as Int32: whole = Int64(number)
            case let number as Int16: whole = Int64(number)
            case let flag as Bool: return flag ? 1 : 0
            case let number as NSNumber: whole = number.int64Value
            case let number as any BinaryInteger: whole = Int64(truncatingIfNeeded: number)
            case let number as any BinaryFloatingPoint: whole = Int64(exactly: Double(number).rounded(.towardZero)) ?? 0
            default: return nil
            }
        }
        // Truncated to the attribute's size.
        switch type {
        case .integer16AttributeType: return Int64(Int16(truncatingIfNeeded: whole))
        case .integer32AttributeType: return Int64(Int32(truncatingIfNeeded: whole))
        default: return whole
        }
    }

    private static func real(_ value: Any) -> Double? {
        switch value {
        case let number as Double: number
        case let number as Float: Double(number)
        case let number as NSNumber: number.doubleValue
        case let number as any BinaryInteger: Double(number)
        default: nil
        }
    }
}
