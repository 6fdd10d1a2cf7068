/// Writes trees as format strings. Without settings it writes what Apple's `predicateFormat` and `NSExpression`'s
/// `description` give, as far as that is publicly known.
///
/// Every tree that ``PredicateParser`` gives can be read back. With ``NumberStyle/typed`` the result is the same tree;
/// with ``NumberStyle/foundation`` a boolean and a whole real come back as integers, which is what Apple's text says of
/// them.
///
/// Text that no format string can express (opaque values, blocks, custom selectors, keys that are not identifiers) is
/// printed for people to read.
package struct PredicatePrinter: Sendable {
    /// How numbers are written.
    package enum NumberStyle: Hashable, Sendable {
        /// As `NSNumber` describes them: `1` and `0` for booleans, `3` for `3.0`.
        case foundation
        /// So that the kind can be told: `TRUE`, `3.0`.
        case typed
    }

    /// How numbers are written.
    package var numberStyle: NumberStyle
    /// Gives the text of a value that only the caller knows.
    package var describeOpaqueValue: @Sendable (OpaqueValue) -> String

    /// Creates a printer; without arguments Apple's form, with opaque values as `<value 0>`.
    package init(
        numberStyle: NumberStyle = .foundation,
        describeOpaqueValue: @escaping @Sendable (OpaqueValue) -> String = { "<value \($0.index)>" }
    ) {
        self.numberStyle = numberStyle
        self.describeOpaqueValue = describeOpaqueValue
    }

    /// The text of a predicate.
    package func string(for predicate: Predicate) -> String {
        var output = ""
        write(predicate, to: &output)
        return output
    }

    /// The text of an expression.
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
    /// The expression as Apple writes it: the text that a derived attribute's version hash is made of
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
