internal import ModelSchema

/// Checks that a text from a model is the name of a Swift type and no other code, before it is written to code.
///
/// Accepts named types with modules and generic arguments, arrays, dictionaries, tuples, optionals, compositions and
/// `any`: everything that could be the type of a property. Rejects closures and `some`, which no property with
/// accessors can have.
struct SwiftTypeSyntax {
    private var rest: Substring.UnicodeScalarView
    private var depth = 0
    /// The number of brackets around the current type.
    private var nesting = 0
    /// Whether the outermost type is a composition.
    private var isComposition = false
    /// Whether the outermost type has `any`.
    private var hasAny = false

    static func isType(_ text: String) -> Bool {
        var syntax = SwiftTypeSyntax(rest: Substring(text).unicodeScalars)
        return syntax.type() && syntax.rest.isEmpty
    }

    /// Returns a type as an optional. Compositions and `any` need parentheses.
    static func optional(_ text: String) -> String {
        var syntax = SwiftTypeSyntax(rest: Substring(text).unicodeScalars)
        guard syntax.type(), syntax.rest.isEmpty, syntax.isComposition || syntax.hasAny else { return text + "?" }
        return "(\(text))?"
    }

    private init(rest: Substring.UnicodeScalarView) {
        self.rest = rest
    }

    private mutating func type() -> Bool {
        guard depth < 32 else { return false }
        depth += 1
        defer { depth -= 1 }
        guard postfixType() else { return false }
        while take("&") {
            if nesting == 0 { isComposition = true }
            guard postfixType() else { return false }
        }
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
            nesting += 1
            defer { nesting -= 1 }
            guard type() else { return false }
            if take(":"), !type() { return false }
            return take("]")
        }
        if take("(") {
            nesting += 1
            defer { nesting -= 1 }
            return take(")") || (list() && take(")"))
        }
        guard var name = identifier() else { return false }
        if name == "some" { return false }
        if name == "any" {
            hasAny = hasAny || nesting == 0
            skipSpace()
            guard let next = identifier() else { return false }
            name = next
        }
        while true {
            guard SwiftIdentifier.isValid(name), !SwiftIdentifier.isKeyword(name) || name == "Any" else { return false }
            if take("<") {
                nesting += 1
                defer { nesting -= 1 }
                guard list(), take(">") else { return false }
            }
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
