internal import Foundation

/// A value that is bound to a place of a statement.
enum SQLArgument: Hashable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    /// A decimal number, as text with all its digits.
    case decimal(String)
    case text(String)
    case uuid(UUID)
    case bytes(Data)
    /// Many values of one kind, for a database that has arrays.
    indirect case array([SQLArgument])
}

/// A part of a statement, with the values that its question marks stand for, in their order.
///
/// What a user has written goes into `arguments` and never into `text`. Interpolation keeps the order:
/// `"\(left) = \(argument: .integer(5))"`.
struct SQLFragment: Hashable, ExpressibleByStringInterpolation {
    var text: String
    var arguments: [SQLArgument] = []

    init(_ text: String, _ arguments: [SQLArgument] = []) {
        self.text = text
        self.arguments = arguments
    }

    init(stringLiteral value: String) {
        text = value
    }

    init(stringInterpolation: Parts) {
        text = stringInterpolation.text
        arguments = stringInterpolation.arguments
    }

    /// Collects literals, fragments, names and values.
    struct Parts: StringInterpolationProtocol {
        fileprivate var text = ""
        fileprivate var arguments: [SQLArgument] = []

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        mutating func appendLiteral(_ literal: String) { text += literal }

        mutating func appendInterpolation(_ fragment: SQLFragment) {
            text += fragment.text
            arguments += fragment.arguments
        }

        mutating func appendInterpolation(_ fragments: [SQLFragment], _ separator: String) {
            appendInterpolation(SQLFragment.joined(fragments, separator))
        }

        mutating func appendInterpolation(argument: SQLArgument) {
            text += "?"
            arguments.append(argument)
        }

        /// A number that is not an attribute's value, such as an entity's number.
        mutating func appendInterpolation(number: Int) { text += String(number) }

        /// A word of SQL, or a name as the dialect writes it.
        mutating func appendInterpolation(word: String) { text += word }
    }

    /// Fragments with something between them.
    static func joined(_ fragments: [SQLFragment], _ separator: String) -> SQLFragment {
        SQLFragment(fragments.map(\.text).joined(separator: separator), fragments.flatMap(\.arguments))
    }

    /// Terms with an operator between them, in parentheses that keep the tree low: SQLite reads a long chain as a deep one.
    static func balanced(_ terms: [SQLFragment], _ binary: String) -> SQLFragment {
        guard terms.count > 8 else { return joined(terms, binary) }
        let middle = terms.count / 2
        let halves = [Array(terms[..<middle]), Array(terms[middle...])]
        return joined(halves.map { "(\(balanced($0, binary)))" }, binary)
    }
}
