/// A placeholder for an argument in a format string: `%@`, `%K`, `%ld`.
package struct Placeholder: Hashable, Sendable {
    /// The kind of argument that a placeholder takes.
    package enum Kind: Hashable, Sendable {
        /// `%@`: any object.
        case object
        /// `%K`: the string of a key path.
        case keyPath
        /// `%d %i %D` with any length (`%hd %ld %lld %qd %zd`).
        case signedInteger
        /// `%u %U %o %O %x %X` with any length.
        case unsignedInteger
        /// `%f %e %g %a` in either case, with or without a length.
        case floatingPoint
        /// `%c` and `%C`.
        case character
        /// `%s` and `%S`: the address of a string.
        case cString
        /// `%p`.
        case pointer
    }

    /// The zero-based index in the argument list.
    package let index: Int
    /// The kind of argument.
    package let kind: Kind
    /// The placeholder as written, with its length: `%lld`.
    package let spelling: String

    /// Creates a placeholder. The spelling is printed unchanged.
    package init(index: Int, kind: Kind, spelling: String) {
        self.index = index
        self.kind = kind
        self.spelling = spelling
    }

    /// Returns the kind for a conversion letter of Apple's string formats; `nil` for an unknown letter.
    static func kind(ofConversion letter: UInt8) -> Kind? {
        switch letter {
        case UInt8(ascii: "@"): .object
        case UInt8(ascii: "K"): .keyPath
        case UInt8(ascii: "d"), UInt8(ascii: "i"), UInt8(ascii: "D"): .signedInteger
        case UInt8(ascii: "u"), UInt8(ascii: "U"), UInt8(ascii: "x"), UInt8(ascii: "X"), UInt8(ascii: "o"),
            UInt8(ascii: "O"):
            .unsignedInteger
        case UInt8(ascii: "f"), UInt8(ascii: "F"), UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "g"),
            UInt8(ascii: "G"), UInt8(ascii: "a"), UInt8(ascii: "A"):
            .floatingPoint
        case UInt8(ascii: "c"), UInt8(ascii: "C"): .character
        case UInt8(ascii: "s"), UInt8(ascii: "S"): .cString
        case UInt8(ascii: "p"): .pointer
        default: nil
        }
    }
}
