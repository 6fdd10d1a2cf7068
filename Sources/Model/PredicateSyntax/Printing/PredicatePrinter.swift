/// Writes trees as format strings. By default, it writes what Apple's `predicateFormat` and `NSExpression`'s
/// `description` return, as far as that is publicly known.
///
/// Every tree that ``PredicateParser`` returns can be read back. With ``NumberStyle/typed``, it round-trips; with
/// ``NumberStyle/foundation``, Booleans and integral reals are read back as integers, since Apple's text does not
/// distinguish them.
///
/// Parts that no format string can express (opaque values, blocks, custom selectors, keys that are not identifiers) are
/// printed in a form for people to read.
package struct PredicatePrinter: Sendable {
    package enum NumberStyle: Hashable, Sendable {
        /// As in `NSNumber`'s description: `1` and `0` for Booleans, `3` for `3.0`.
        case foundation
        /// With distinguishable types: `TRUE`, `3.0`.
        case typed
    }

    package var numberStyle: NumberStyle
    /// Returns the text of a value that only the caller knows.
    package var describeOpaqueValue: @Sendable (OpaqueValue) -> String

    /// Creates a printer. By default, it writes Apple's format, with opaque values as `<value 0>`.
    package init(
        numberStyle: NumberStyle = .foundation,
        describeOpaqueValue: @escaping @Sendable (OpaqueValue) -> String = { "<value \($0.index)>" }
    ) {
        self.numberStyle = numberStyle
        self.describeOpaqueValue = describeOpaqueValue
    }

    /// Returns the text of a predicate.
    package func string(for predicate: Predicate) -> String {
        var output = ""
        write(predicate, to: &output)
        return output
    }

    /// Returns a key of a key path as it is written in a format string: reserved words begin with `#`.
    package static func string(forKey key: String) -> String {
        Keyword(key.utf8)?.isReserved == true ? "#" + key : key
    }

    /// Returns the text of an expression.
    package func string(for expression: Expression) -> String {
        var output = ""
        write(expression, to: &output)
        return output
    }
}

extension Predicate {
    /// The predicate as Apple's `predicateFormat` writes it; see ``PredicatePrinter``.
    package var predicateFormat: String { PredicatePrinter().string(for: self) }
}

extension Expression {
    /// The expression as Apple writes it: the text that a derived attribute's version hash covers
    /// (Documentation/Formats/VersionHashes.md, 2.3); see ``PredicatePrinter``.
    package var predicateFormat: String { PredicatePrinter().string(for: self) }
}

extension Predicate: CustomStringConvertible {
    /// The same as ``predicateFormat``.
    package var description: String { predicateFormat }
}

extension Expression: CustomStringConvertible {
    /// The same as ``predicateFormat``.
    package var description: String { predicateFormat }
}
