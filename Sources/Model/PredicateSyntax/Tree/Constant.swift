/// A literal value in an expression.
///
/// Equality includes the kind: `TRUE`, `1` and `1.0` are three different constants, although Apple prints all of them
/// as `1` and they are equal as `NSNumber`s. They are archived differently (Documentation/Formats/CompiledModel.md,
/// 2.8), and a store divides by `3` and by `3.0` differently.
package enum Constant: Hashable, Sendable {
    /// `nil`, `NULL`.
    case null
    /// `TRUE`, `YES`, `FALSE`, `NO`.
    case boolean(Bool)
    case integer(Int64)
    /// A number with a fraction or an exponent, or an integer beyond 64 bits.
    case real(Double)
    /// Text in quotes.
    case string(String)
    /// Any other value, such as a date, an object or a collection, which only its owner can interpret.
    case opaque(OpaqueValue)
}

/// A value that the caller holds and that this module only passes on, identified by its index in the caller's list.
package struct OpaqueValue: Hashable, Sendable {
    /// The index in the caller's list.
    package let index: Int

    /// Creates a reference to the value at an index of the caller's list.
    package init(index: Int) {
        self.index = index
    }
}
