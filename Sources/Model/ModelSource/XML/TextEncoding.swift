/// The character encoding of an XML file, and whether it begins with a byte order mark.
package struct TextEncoding: Hashable, Sendable {
    /// The encoding form of characters.
    enum Form: Hashable, Sendable {
        case utf8
        case utf16(isBigEndian: Bool)
        case utf32(isBigEndian: Bool)
        case latin1
        /// Only the ASCII characters are read and written: US-ASCII, and every declared encoding not listed above.
        case ascii
    }

    let form: Form
    /// Whether the file begins with a byte order mark.
    package let hasByteOrderMark: Bool
    /// The name in the file's XML declaration, or `nil` if it declares none.
    let declaredName: String?

    /// Detects the encoding of a file from its first bytes and its XML declaration (XML 1.0, appendix F).
    ///
    /// A byte order mark or the pattern of zero bytes takes precedence over the declaration.
    init(detectedIn bytes: [UInt8]) {
        let (form, markLength) = Self.formOfFirstBytes(bytes)
        hasByteOrderMark = markLength > 0
        if let form, form != .utf8 {
            self.form = form
            // The declaration is ASCII in every encoding, so it can be read without the zero bytes.
            declaredName = Self.declaredName(in: bytes.dropFirst(markLength).prefix(800).filter { $0 != 0 })
            return
        }
        // A fast path for the declaration that Xcode writes.
        if bytes.starts(with: Self.usualDeclaration) {
            (self.form, declaredName) = (.utf8, "UTF-8")
            return
        }
        declaredName = Self.declaredName(in: Array(bytes.dropFirst(markLength).prefix(200)))
        self.form = form ?? Self.formOfDeclaration(declaredName)
    }

    /// The number of bytes of the byte order mark.
    var markLength: Int {
        guard hasByteOrderMark else { return 0 }
        switch form {
        case .utf8: return 3
        case .utf16: return 2
        case .utf32: return 4
        case .latin1, .ascii: return 0
        }
    }

    /// The name of the encoding for the XML declaration: for UTF-8 as Xcode writes it, or else the declared name if it
    /// is consistent.
    package var name: String {
        let name = canonicalName
        guard let declaredName else { return name }
        let declared = declaredName.uppercased()
        switch form {
        case .utf8: return name
        case .utf16: return ["UTF-16", name].contains(declared) ? declaredName : name
        case .utf32: return ["UTF-32", name].contains(declared) ? declaredName : name
        case .latin1, .ascii: return declaredName
        }
    }

    /// Returns whether text in another encoding can be inserted unchanged.
    func isCompatible(with other: TextEncoding) -> Bool {
        form == other.form && (form != .ascii || declaredName == other.declaredName)
    }

    /// Returns whether the encoding has a character.
    func canRepresent(_ scalar: Unicode.Scalar) -> Bool {
        switch form {
        case .utf8, .utf16, .utf32: true
        case .latin1: scalar.value < 0x100
        case .ascii: scalar.value < 0x80
        }
    }

    /// Returns an XML text or value with references for the characters that the encoding lacks.
    func withCharacterReferences(_ text: String) -> String {
        guard form == .latin1 || form == .ascii, !text.unicodeScalars.allSatisfy(canRepresent) else { return text }
        return text.unicodeScalars.map { canRepresent($0) ? String($0) : "&#\($0.value);" }.joined()
    }

    private var canonicalName: String {
        switch form {
        case .utf8: return "UTF-8"
        case .utf16(let isBigEndian): return hasByteOrderMark ? "UTF-16" : isBigEndian ? "UTF-16BE" : "UTF-16LE"
        case .utf32(let isBigEndian): return hasByteOrderMark ? "UTF-32" : isBigEndian ? "UTF-32BE" : "UTF-32LE"
        case .latin1: return "ISO-8859-1"
        case .ascii: return "US-ASCII"
        }
    }

    private static let usualDeclaration = Array("<?xml version=\"1.0\" encoding=\"UTF-8\"".utf8)

    /// Returns the form that a byte order mark or zero bytes indicate, and the length of the mark.
    private static func formOfFirstBytes(_ bytes: [UInt8]) -> (form: Form?, markLength: Int) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if bytes.starts(with: [0x00, 0x00, 0xFE, 0xFF]) { return (.utf32(isBigEndian: true), 4) }
        if bytes.starts(with: [0xFF, 0xFE, 0x00, 0x00]) { return (.utf32(isBigEndian: false), 4) }
        if bytes.starts(with: [0xFE, 0xFF]) { return (.utf16(isBigEndian: true), 2) }
        if bytes.starts(with: [0xFF, 0xFE]) { return (.utf16(isBigEndian: false), 2) }
        // Without a mark, XML begins with “<” or whitespace, which are ASCII.
        switch bytes.prefix(4).map({ $0 == 0 }) {
        case [false, true, true, true]: return (.utf32(isBigEndian: false), 0)
        case [true, true, true, false]: return (.utf32(isBigEndian: true), 0)
        case [false, true, false, true]: return (.utf16(isBigEndian: false), 0)
        case [true, false, true, false]: return (.utf16(isBigEndian: true), 0)
        default: return (nil, 0)
        }
    }

    private static func formOfDeclaration(_ name: String?) -> Form {
        guard let name = name?.uppercased() else { return .utf8 }
        switch name {
        case "UTF-8", "UTF8": return .utf8
        case "ISO-8859-1", "ISO_8859-1", "ISO8859-1", "ISO-LATIN-1", "LATIN1", "LATIN-1", "L1": return .latin1
        // The bytes contradict such a declaration: this is an encoding with single-byte characters.
        case _ where name.hasPrefix("UTF-16") || name.hasPrefix("UTF-32") || name.hasPrefix("ISO-10646-UCS"):
            return .utf8
        default: return .ascii
        }
    }

    /// Returns the encoding that the XML declaration at the start of ASCII bytes names.
    private static func declaredName(in bytes: [UInt8]) -> String? {
        guard bytes.starts(with: Array("<?xml".utf8)), let end = bytes.firstIndex(of: UInt8(ascii: ">")) else {
            return nil
        }
        let declaration = String(decoding: bytes[..<end], as: UTF8.self)
        guard let match = declaration.firstRange(of: "encoding") else { return nil }
        let rest = declaration[match.upperBound...].drop { $0.isWhitespace || $0 == "=" }
        guard let quote = rest.first, quote == "\"" || quote == "'" else { return nil }
        let name = rest.dropFirst().prefix { $0 != quote }
        let isName = !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"<>&\"'".utf8.contains($0) }
        return isName ? String(name) : nil
    }
}
