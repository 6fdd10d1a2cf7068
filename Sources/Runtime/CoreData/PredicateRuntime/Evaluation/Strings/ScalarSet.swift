/// A set of Unicode scalars in a regular expression.
struct ScalarSet {
    enum Part {
        case range(ClosedRange<Unicode.Scalar>)
        /// `\d`
        case digit
        /// `\w`
        case word
        /// `\s`
        case space
        /// `.`
        case anyButLineEnd
        /// Any scalar.
        case any
        /// The scalars that another set does not contain.
        case other(than: [Part])
    }

    var parts: [Part]
    var ignoresCase: Bool

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        if Self.contains(parts, scalar) { return true }
        guard ignoresCase else { return false }
        return Self.variants(scalar).contains { Self.contains(parts, $0) }
    }

    private static func contains(_ parts: [Part], _ scalar: Unicode.Scalar) -> Bool {
        parts.contains { part in
            switch part {
            case .range(let range): range.contains(scalar)
            case .digit: scalar.properties.generalCategory == .decimalNumber
            case .word: isWord(scalar)
            case .space: isSpace(scalar)
            case .anyButLineEnd: !isLineEnd(scalar)
            case .any: true
            case .other(let others): !contains(others, scalar)
            }
        }
    }

    /// Returns the case variants of a letter.
    private static func variants(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        [scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping].compactMap { mapping in
            mapping.unicodeScalars.count == 1 ? mapping.unicodeScalars.first : nil
        }
    }

    // The classes as defined by ICU ("Regular Expressions", Metacharacters).

    static func isLineEnd(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.properties.isAlphabetic || scalar.value == 0x200C || scalar.value == 0x200D { return true }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .connectorPunctuation: return true
        default: return false
        }
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x09...0x0D, 0x85: return true
        default: break
        }
        switch scalar.properties.generalCategory {
        case .spaceSeparator, .lineSeparator, .paragraphSeparator: return true
        default: return false
        }
    }
}
