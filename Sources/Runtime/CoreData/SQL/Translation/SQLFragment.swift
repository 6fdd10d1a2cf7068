internal import Foundation

/// A value that is bound to a parameter of a statement.
package enum SQLArgument: Hashable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    /// A decimal number, as text with all its digits.
    case decimal(String)
    case text(String)
    case uuid(UUID)
    case bytes(Data)
    /// Values of one kind, for a database that supports arrays.
    indirect case array([SQLArgument])
}

/// A part of a statement, with the values for its question marks, in order.
///
/// User input goes into `arguments` and never into `text`. Interpolation preserves the order: `"\(left) = \(argument:
/// .integer(5))"`.
package struct SQLFragment: Hashable, ExpressibleByStringInterpolation {
    package var text: String
    package var arguments: [SQLArgument] = []

    package init(_ text: String, _ arguments: [SQLArgument] = []) {
        self.text = text
        self.arguments = arguments
    }

    package init(stringLiteral value: String) {
        text = value
    }

    package init(stringInterpolation: Parts) {
        text = stringInterpolation.text
        arguments = stringInterpolation.arguments
    }

    /// Collects literals, fragments, names and values.
    package struct Parts: StringInterpolationProtocol {
        fileprivate var text = ""
        fileprivate var arguments: [SQLArgument] = []

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        package mutating func appendLiteral(_ literal: String) { text += literal }

        package mutating func appendInterpolation(_ fragment: SQLFragment) {
            text += fragment.text
            arguments += fragment.arguments
        }

        mutating func appendInterpolation(_ fragments: [SQLFragment], _ separator: String) {
            appendInterpolation(SQLFragment.joined(fragments, separator))
        }

        package mutating func appendInterpolation(argument: SQLArgument) {
            text += "?"
            arguments.append(argument)
        }

        /// Appends a number that is not an attribute's value, such as an entity number.
        mutating func appendInterpolation(number: Int) { text += String(number) }

        /// Appends an SQL keyword, or a name as spelled by the dialect.
        package mutating func appendInterpolation(word: String) { text += word }
    }

    static func joined(_ fragments: [SQLFragment], _ separator: String) -> SQLFragment {
        SQLFragment(fragments.map(\.text).joined(separator: separator), fragments.flatMap(\.arguments))
    }

    /// Returns terms joined by an operator, with parentheses that keep the expression tree flat: SQLite parses a long
    /// chain as a deep tree.
    static func balanced(_ terms: [SQLFragment], _ binary: String) -> SQLFragment {
        guard terms.count > 8 else { return joined(terms, binary) }
        let middle = terms.count / 2
        let halves = [Array(terms[..<middle]), Array(terms[middle...])]
        return joined(halves.map { "(\(balanced($0, binary)))" }, binary)
    }
}
