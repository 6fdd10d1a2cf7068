/// Swift's rules for names. Names from a model are checked here before they are written to code.
package enum SwiftIdentifier {
    /// Returns whether the text is a valid identifier, in backquotes if it is a keyword.
    ///
    /// The rule is the grammar of *The Swift Programming Language*, "Lexical Structure", without implicit parameter
    /// names and without raw identifiers.
    package static func isValid(_ text: String) -> Bool {
        if let isValid = isValidASCII(text) { return isValid }
        var scalars = text.unicodeScalars.makeIterator()
        guard let head = scalars.next(), isHead(head), text != "_" else { return false }
        while let scalar = scalars.next() {
            guard isHead(scalar) || isOnlyInside(scalar) else { return false }
        }
        return true
    }

    /// Returns whether the text is a reserved word, which needs backquotes as the name of a declaration.
    package static func isKeyword(_ text: String) -> Bool { keywords.contains(text) }

    /// Returns whether the name of a member needs backquotes: a reserved word, or `Type` or `Protocol`, which types
    /// reserve for their metatypes.
    package static func needsBackquotes(_ name: String) -> Bool {
        isKeyword(name) || name == "Type" || name == "Protocol"
    }

    /// Returns the name of a member as written in its declaration: in backquotes if it needs them.
    package static func declared(_ name: String) -> String { needsBackquotes(name) ? "`\(name)`" : name }

    /// Returns a text without underscores and characters that are invalid in an identifier, as Xcode shortens a model's
    /// name for the type aliases in its `+CoreDataModel` file (Documentation/Formats/XcodeSwift.md, 5).
    ///
    /// A result that would begin with a digit is prefixed with an underscore; an empty one becomes `Model`.
    package static func prefix(from text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where scalar != "_" && (isHead(scalar) || isOnlyInside(scalar)) {
            if result.isEmpty, !isHead(scalar) { result.append("_") }
            result.append(scalar)
        }
        return result.isEmpty ? "Model" : String(result)
    }

    /// Returns a text as a Swift string literal, including the quotes.
    package static func stringLiteral(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default:
                if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
                    || scalar.value == 0x2028 || scalar.value == 0x2029
                {
                    result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result + "\""
    }

    /// Returns whether an ASCII text, which nearly all names are, is valid; `nil` for any other text.
    private static func isValidASCII(_ text: String) -> Bool? {
        var isValid = !text.isEmpty && text != "_"
        var isFirst = true
        for byte in text.utf8 {
            switch byte {
            case 0x41...0x5A, 0x61...0x7A, 0x5F: break
            case 0x30...0x39: if isFirst { isValid = false }
            case 0x80...: return nil
            default: isValid = false
            }
            isFirst = false
        }
        return isValid
    }

    private static func isHead(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x41...0x5A, 0x61...0x7A, 0x5F: true
        case 0..<0x80: false
        case 0xA8, 0xAA, 0xAD, 0xAF, 0xB2...0xB5, 0xB7...0xBA, 0xBC...0xBE, 0xC0...0xD6, 0xD8...0xF6, 0xF8...0xFF,
            0x100...0x2FF, 0x370...0x167F, 0x1681...0x180D, 0x180F...0x1DBF, 0x1E00...0x1FFF, 0x200B...0x200D,
            0x202A...0x202E, 0x203F...0x2040, 0x2054, 0x2060...0x206F, 0x2070...0x20CF, 0x2100...0x218F,
            0x2460...0x24FF, 0x2776...0x2793, 0x2C00...0x2DFF, 0x2E80...0x2FFF, 0x3004...0x3007, 0x3021...0x302F,
            0x3031...0x303F, 0x3040...0xD7FF, 0xF900...0xFD3D, 0xFD40...0xFDCF, 0xFDF0...0xFE1F, 0xFE30...0xFE44,
            0xFE47...0xFFFD, 0x10000...0x1FFFD, 0x20000...0x2FFFD, 0x30000...0x3FFFD, 0x40000...0x4FFFD,
            0x50000...0x5FFFD, 0x60000...0x6FFFD, 0x70000...0x7FFFD, 0x80000...0x8FFFD, 0x90000...0x9FFFD,
            0xA0000...0xAFFFD, 0xB0000...0xBFFFD, 0xC0000...0xCFFFD, 0xD0000...0xDFFFD, 0xE0000...0xEFFFD:
            // The grammar allows bidirectional controls, but they can make code look different from what it does.
            !(0x202A...0x202E).contains(scalar.value) && !(0x2060...0x206F).contains(scalar.value)
                && !(0x200B...0x200D).contains(scalar.value) && scalar.value != 0xAD
        default: false
        }
    }

    private static func isOnlyInside(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x30...0x39, 0x300...0x36F, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F: true
        default: false
        }
    }

    private static let keywords: Set<String> = [
        "Any", "as", "associatedtype", "await", "break", "case", "catch", "class", "continue", "default", "defer",
        "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard",
        "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private",
        "protocol", "public", "repeat", "rethrows", "return", "self", "Self", "static", "struct", "subscript", "super",
        "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]
}
