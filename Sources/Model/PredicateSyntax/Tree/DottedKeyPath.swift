/// A key path in its textual form, `owner.books.@count`: one or more keys, of which those that begin with `@` are
/// collection operators.
///
/// It is not called `KeyPath` because the standard library has a type with that name.
package struct DottedKeyPath: Hashable, Sendable {
    /// The keys from left to right, without escapes.
    package var keys: [String]

    /// Creates a key path from its keys.
    package init(keys: [String]) {
        self.keys = keys
    }

    /// Splits a dotted string, such as the argument of `%K`. Nothing is escaped in it: `in.first` has two plain keys.
    package init(_ dotted: String) {
        keys = dotted.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    /// The keys joined by dots, as in key-value coding. For the escaped form see ``PredicatePrinter``.
    package var string: String {
        keys.joined(separator: ".")
    }

    /// The index of the first collection operator in ``keys``, or `nil`.
    package var collectionOperatorIndex: Int? {
        keys.firstIndex { $0.utf8.first == UInt8(ascii: "@") }
    }
}

extension DottedKeyPath: ExpressibleByStringLiteral {
    /// The same as ``init(_:)``.
    package init(stringLiteral value: String) {
        self.init(value)
    }
}

extension DottedKeyPath: CustomStringConvertible {
    /// The same as ``string``.
    package var description: String { string }
}
