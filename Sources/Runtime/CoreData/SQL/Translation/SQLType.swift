internal import Foundation

/// The type of an SQL value in the predicate language. A column's type follows from its attribute.
package enum SQLType: Equatable, Sendable {
    case boolean
    case integer
    case real
    /// An integer or a real number, which only the database knows.
    case number
    /// A real number that stands for the shortest decimal number that identifies it.
    case decimal
    case date
    case string
    case uuid
    case data
    case uri

    /// Creates the type of an attribute's values; `nil` if they cannot be compared in SQL, as for transformable
    /// attributes, and data that may be in external files.
    init?(_ type: NSAttributeType, _ attribute: NSAttributeDescription) {
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: self = .integer
        case .booleanAttributeType: self = .boolean
        case .doubleAttributeType, .floatAttributeType: self = .real
        case .decimalAttributeType: self = .decimal
        case .dateAttributeType: self = .date
        case .stringAttributeType: self = .string
        case .UUIDAttributeType: self = .uuid
        case .URIAttributeType: self = .uri
        case .binaryDataAttributeType:
            guard !attribute.allowsExternalBinaryDataStorage else { return nil }
            self = .data
        case .undefinedAttributeType, .transformableAttributeType, .objectIDAttributeType, .compositeAttributeType:
            return nil
        }
    }

    /// The letter by which this module's SQL functions know the type of an argument.
    var code: String {
        switch self {
        case .boolean: "b"
        case .integer: "i"
        case .real: "r"
        case .number: "n"
        case .decimal: "d"
        case .date: "t"
        case .string: "s"
        case .uuid: "u"
        case .data: "x"
        case .uri: "l"
        }
    }

    init?(code: UInt8) {
        switch code {
        case UInt8(ascii: "b"): self = .boolean
        case UInt8(ascii: "i"): self = .integer
        case UInt8(ascii: "r"): self = .real
        case UInt8(ascii: "n"): self = .number
        case UInt8(ascii: "d"): self = .decimal
        case UInt8(ascii: "t"): self = .date
        case UInt8(ascii: "s"): self = .string
        case UInt8(ascii: "u"): self = .uuid
        case UInt8(ascii: "x"): self = .data
        case UInt8(ascii: "l"): self = .uri
        default: return nil
        }
    }

    package var isNumber: Bool {
        switch self {
        case .boolean, .integer, .real, .number, .decimal: true
        default: false
        }
    }

    /// Whether SQLite always stores values of the type as integers.
    package var isWhole: Bool { self == .integer || self == .boolean }

    /// Returns whether non-nil values of two types can be equal.
    func canEqual(_ other: SQLType) -> Bool { self == other || isNumber && other.isNumber }

    /// Returns whether values of two types have an order. The evaluator treats ordering other types as misuse.
    func isOrdered(with other: SQLType) -> Bool {
        canEqual(other) || self == .date && other.isNumber || isNumber && other == .date
    }
}

/// A constant in the form in which it is compared with columns.
package struct SQLConstant {
    var argument: SQLArgument
    var type: SQLType

    package init(_ argument: SQLArgument, _ type: SQLType) {
        self.argument = argument
        self.type = type
    }

    /// Creates the constant for a value; `nil` if SQL would not compare it as the evaluator does.
    package init?(_ value: PredicateValue) {
        switch value {
        case .boolean(let flag): (argument, type) = (.integer(flag ? 1 : 0), .boolean)
        case .integer(let number): (argument, type) = (.integer(number), .integer)
        case .real(let number):
            guard !number.isNaN else { return nil }
            (argument, type) = (.real(number), .real)
        case .decimal(let number):
            // Digits beyond a real number's precision affect comparisons in memory, but not in a column.
            guard number != .notANumber, let real = Double(number.stringValue),
                let kept = NSDecimalNumber(shortest: real), kept.compare(number) == .orderedSame
            else { return nil }
            (argument, type) = (.real(real), .decimal)
        case .date(let seconds):
            guard !seconds.isNaN else { return nil }
            (argument, type) = (.real(seconds), .date)
        case .string(let text): (argument, type) = (.text(text), .string)
        case .uuid(let uuid):
            (argument, type) = (.bytes(withUnsafeBytes(of: uuid.uuid) { Data($0) }), .uuid)
        case .data(let data): (argument, type) = (.bytes(data), .data)
        case .other(let other):
            guard let url = other.value as? URL, url.baseURL == nil else { return nil }
            (argument, type) = (.text(url.absoluteString), .uri)
        case .null, .collection, .dictionary, .readable, .slotted: return nil
        }
    }

    /// Returns the constant as it is compared with values of a type: a number is compared with strings as a string, as
    /// the affinity of a column does in SQLite.
    func compared(with type: SQLType) -> SQLConstant {
        guard type == .string, self.type.isNumber else { return self }
        return switch argument {
        case .integer(let number): SQLConstant(.text("\(number)"), .string)
        case .real(let number): SQLConstant(.text("\(number)"), .string)
        case .boolean(let flag): SQLConstant(.text(flag ? "1" : "0"), .string)
        default: self
        }
    }

    /// The constant in SQL, with its type.
    var value: (sql: SQLFragment, type: SQLType) { ("\(argument: argument)", type) }
}
