internal import CompiledModel
internal import Diagnostics
internal import Foundation

/// Apple's format of XML stores (Documentation/Formats/XMLStore.md).
enum XMLStoreFormat: StoreFormat {
    static let storeType = NSXMLStoreType
    static let title = "an XML"
    static let foldsNames = true
    /// The first object in Apple's files has the number 102.
    static let firstNumber: Int64 = 101
    static let prefixLength = 1024
    /// The version number in every file of Apple's framework.
    static let version = "134481920"

    /// Returns whether a prefix contains the start of the root element, or of the document type declaration that
    /// Apple's framework writes.
    static func recognizes(_ prefix: [UInt8]) -> Bool {
        let text = String(decoding: prefix, as: UTF8.self)
        return text.contains("<!DOCTYPE database ") || text.contains("<database>")
    }

    static func contents(of bytes: [UInt8]) throws -> StoredContents {
        var reader = XMLStoreReader(bytes)
        return try reader.contents()
    }

    /// XML has no characters for most control characters, and dates of property lists have four digits for the year.
    static func canHold(_ value: PropertyListValue) -> Bool {
        switch value {
        case .boolean, .integer, .unsigned, .uid, .real, .float, .data: true
        case .string(let text):
            text.unicodeScalars.allSatisfy { !XMLStoreValue.isForbidden($0) }
        // From year 1 to 9999, in seconds since 2001.
        case .date(let seconds): (-63_113_904_000..<252_423_993_600).contains(seconds)
        case .array(let values), .set(let values): values.allSatisfy(canHold)
        case .dictionary(let entries): entries.allSatisfy { canHold(.string($0.key)) && canHold($0.value) }
        }
    }

    static func bytes(of contents: StoredContents) -> [UInt8] {
        var writer = XMLStoreWriter()
        writer.write(contents)
        return writer.bytes
    }
}

/// Values as text in XML stores.
enum XMLStoreValue {
    /// Returns the type and the text of a value. Base64 text is wrapped as Apple's framework wraps it.
    static func text(_ value: StoredValue) -> (type: String, text: String) {
        switch value {
        case .boolean(let flag): ("bool", flag ? "1" : "0")
        case .integer(let number, let bits): ("int\(bits)", "\(number)")
        case .double(let number): ("double", "\(number)")
        case .float(let number): ("float", "\(number)")
        case .decimal(let number): ("decimal", StoredDecimal.text(number))
        case .string(let text): ("string", escaped(text))
        case .date(let seconds): ("date", "\(seconds)")
        case .data(let data): ("binary", wrapped(data))
        case .uuid(let uuid): ("UUID", uuid.uuidString)
        case .uri(let text): ("URI", escaped(text))
        case .transformed(let data): ("transformable", wrapped(data))
        }
    }

    /// Returns the value that a type and a text stand for.
    ///
    /// - Throws: `StoredContentsError`.
    static func value(_ text: String, type: String) throws -> StoredValue {
        let value: StoredValue? =
            switch type.lowercased() {
            case "string": .string(XMLStoreText.unescaped(text))
            case "uri": .uri(XMLStoreText.unescaped(text))
            case "bool": ["0": false, "1": true][text].map { .boolean($0) }
            case "int16": Int16(text).map { .integer(Int64($0), bits: 16) }
            case "int32": Int32(text).map { .integer(Int64($0), bits: 32) }
            case "int64": Int64(text).map { .integer($0, bits: 64) }
            case "double": Double(text).map { .double($0) }
            case "float": Float(text).map { .float($0) }
            case "date": Double(text).map { .date($0) }
            case "decimal": .decimal(try StoredDecimal.decimal(text))
            case "uuid": UUID(uuidString: text).map { .uuid($0) }
            case "binary": data(text).map { .data($0) }
            case "transformable": data(text).map { .transformed($0) }
            default: throw StoredContentsError("unknown attribute type “\(type)”")
            }
        if let value { return value }
        throw StoredContentsError("invalid value of the type “\(type)”: “\(text.prefix(40))”")
    }

    // MARK: Base64

    private static let lineLength = 76

    private static func wrapped(_ data: Data) -> String {
        let text = data.base64EncodedString()
        guard text.utf8.count > lineLength else { return text.isEmpty ? "" : text + "\n" }
        // Only the first line is limited.
        return "\(text.prefix(lineLength))\n\(text.dropFirst(lineLength))\n"
    }

    private static func data(_ text: String) -> Data? {
        let digits = text.utf8.filter { ![0x09, 0x0A, 0x0D, 0x20].contains($0) }
        return Data(base64Encoded: String(decoding: digits, as: UTF8.self))
    }

    // MARK: Escapes

    /// Returns whether a character is escaped: markup, the backslash, and characters that XML does not
    /// allow.
    private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "<", ">", "&", "\\", "\r": true
        default: isForbidden(scalar)
        }
    }

    /// Returns whether XML does not allow a character, even as a reference.
    static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\u{FFFE}", "\u{FFFF}": true
        case "\t", "\n", "\r": false
        default: scalar.value < 0x20
        }
    }

    static func escaped(_ text: String) -> String { XMLStoreText.escaped(text, where: isEscaped) }
}
