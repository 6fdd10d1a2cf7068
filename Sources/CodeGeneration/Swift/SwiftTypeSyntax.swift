internal import ModelSchema

/// Checks that a text from a model is nothing but the name of a Swift type, before it is written to code.
///
/// Accepts named types with modules and generic arguments, arrays, dictionaries, tuples, optionals, compositions, `any`
/// and `some`: everything that could be the type of a stored value. Rejects closures.
struct SwiftTypeSyntax {
    private var rest: Substring.UnicodeScalarView
    private var depth = 0

    /// Returns whether the text is a type.
    static func isType(_ text: String) -> Bool {
        var syntax = SwiftTypeSyntax(rest: Substring(text).unicodeScalars)
        return syntax.type() && syntax.rest.isEmpty
    }

    private init(rest: Substring.UnicodeScalarView) {
        self.rest = rest
    }

    private mutating func type() -> Bool {
        guard depth < 32 else { return false }
        depth += 1
        defer { depth -= 1 }
        repeat {
            guard postfixType() else { return false }
        } while take("&")
        return true
    }

    private mutating func postfixType() -> Bool {
        skipSpace()
        guard primary() else { return false }
        skipSpace()
        while take("?") {}
        return true
    }

    private mutating func primary() -> Bool {
        if take("[") {
            guard type() else { return false }
            if take(":"), !type() { return false }
            return take("]")
        }
        if take("(") { return take(")") || (list() && take(")")) }
        guard var name = identifier() else { return false }
        if name == "any" || name == "some" {
            skipSpace()
            guard let next = identifier() else { return false }
            name = next
        }
        while true {
            guard SwiftIdentifier.isValid(name), !SwiftIdentifier.isKeyword(name) || name == "Any" else { return false }
            if take("<"), !list() || !take(">") { return false }
            guard take(".") else { return true }
            guard let next = identifier() else { return false }
            name = next
        }
    }

    private mutating func list() -> Bool {
        repeat {
            guard type() else { return false }
        } while take(",")
        return true
    }

    private mutating func identifier() -> String? {
        let word = rest.prefix { !Self.delimiters.contains($0) }
        guard !word.isEmpty else { return nil }
        rest = rest.dropFirst(word.count)
        return String(Substring(word))
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        skipSpace()
        guard rest.first == scalar else { return false }
        rest = rest.dropFirst()
        return true
    }

    private mutating func skipSpace() {
        rest = rest.drop { $0 == " " }
    }

    private static let delimiters = Set<Unicode.Scalar>(" []()<>.,:?&".unicodeScalars)
}
