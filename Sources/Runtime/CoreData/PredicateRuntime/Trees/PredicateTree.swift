internal import Foundation
package import PredicateSyntax
internal import RuntimeSupport

/// A predicate of the predicate language, with the values for which the language has no literals.
struct PredicateTree {
    var syntax: PredicateSyntax.Predicate
    var boxes: OpaqueBoxes

    init(_ syntax: PredicateSyntax.Predicate, boxes: OpaqueBoxes = OpaqueBoxes()) {
        self.syntax = syntax
        self.boxes = boxes
    }

    /// The text, as in Apple's `predicateFormat`.
    var format: String { boxes.printer.string(for: syntax) }
}

/// An expression of the predicate language, with the values for which the language has no literals.
package struct ExpressionTree {
    package var syntax: PredicateSyntax.Expression
    var boxes: OpaqueBoxes

    init(_ syntax: PredicateSyntax.Expression, boxes: OpaqueBoxes = OpaqueBoxes()) {
        self.syntax = syntax
        self.boxes = boxes
    }

    /// Creates a constant expression.
    init(constant value: Any?) {
        boxes = OpaqueBoxes()
        syntax = .constant(boxes.constant(value))
    }

    /// The text, as in Apple's `description`.
    var format: String { boxes.printer.string(for: syntax) }
}

extension OpaqueBoxes {
    /// Returns a value as a constant of the language: a literal, or else a reference to a box.
    mutating func constant(_ value: Any?) -> Constant {
        guard let value else { return .null }
        // An empty optional as `Any` is bridged to NSNull on Apple's platforms.
        let object = Unwrapping.value(value) ?? NSNull()
        return constant(of: object)
    }

    private mutating func constant(of value: Any) -> Constant {
        switch value {
        // Prints as “<null>” and stands for nil.
        case is NSNull: return .opaque(add(value))
        case let text as String: return .string(text)
        case let flag as Bool where type(of: value) == Bool.self: return .boolean(flag)
        case let number as Double where type(of: value) == Double.self: return .real(number)
        case let number as Float where type(of: value) == Float.self: return .real(Double(number))
        case let number as NSDecimalNumber: return .opaque(add(number))
        case let number as Decimal where type(of: value) == Decimal.self:
            return .opaque(add(NSDecimalNumber(decimal: number)))
        case let number as NSNumber where value is NSNumber: return Self.constant(number)
        case let number as any BinaryInteger:
            return Int64(exactly: number).map { .integer($0) } ?? .real(Double(number))
        default: return .opaque(add(value))
        }
    }

    /// Returns a number as a constant. `objCType` distinguishes a Boolean ("c" or "B") from a number.
    private static func constant(_ number: NSNumber) -> Constant {
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "c"), UInt8(ascii: "B"):
            number.isBoolean ? .boolean(number.boolValue) : .integer(number.int64Value)
        case UInt8(ascii: "d"), UInt8(ascii: "f"): .real(number.doubleValue)
        case UInt8(ascii: "Q") where number.uint64Value > UInt64(Int64.max): .real(number.doubleValue)
        default: .integer(number.int64Value)
        }
    }

    /// The printer of trees with the values in these boxes.
    var printer: PredicatePrinter {
        var texts: [Int: String] = [:]
        for box in boxes { texts[box.reference.index] = Self.text(of: box.value) }
        return PredicatePrinter { [texts] in texts[$0.index] ?? "(null)" }
    }

    /// Returns the text that Apple's framework prints for a value without a literal: dates by their seconds,
    /// collections as lists, sets of Swift in the order of their elements' descriptions, objects by their description.
    private static func text(of value: Any) -> String {
        switch value {
        case let date as Date: "CAST(\(date.timeIntervalSinceReferenceDate), \"NSDate\")"
        case let number as NSDecimalNumber: number.stringValue
        case let list as [Any]:
            "{" + list.map { ExpressionTree(constant: $0).format }.joined(separator: ", ") + "}"
        case let set as Set<AnyHashable>:
            "{" + set.map { ExpressionTree(constant: $0.base).format }.sorted().joined(separator: ", ") + "}"
        case is Block: "BLOCKPREDICATE"
        default: String(describing: value)
        }
    }
}

struct Block {
    var expression: BlockNode.Code
}
