/// A literal value in an expression.
///
/// Equality is by kind as well as by value: `TRUE`, `1` and `1.0` are three constants, although Apple prints all of them
/// as `1` and its `NSNumber` calls them equal. They are archived differently (Documentation/Formats/CompiledModel.md, 2.8), and a
/// store divides by `3` and by `3.0` differently.
package enum Constant: Hashable, Sendable {
    /// `nil`, `NULL`.
    case null
    /// `TRUE`, `YES`, `FALSE`, `NO`.
    case boolean(Bool)
    /// An integer.
    case integer(Int64)
    /// A number with a fraction or an exponent, or an integer beyond 64 bits.
    case real(Double)
    /// Text in quotes.
    case string(String)
    /// Any other value: a date, an object, a collection. Only its owner knows what it is.
    case opaque(OpaqueValue)
}

/// A value that the caller keeps and that this module only carries around, identified by its place in the caller's list.
package struct OpaqueValue: Hashable, Sendable {
    /// The place in the caller's list.
    package let index: Int

    /// Names the value at a place in the caller's list.
    package init(index: Int) {
        self.index = index
    }
}
