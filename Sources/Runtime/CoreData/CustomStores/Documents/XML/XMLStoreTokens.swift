internal import Foundation

/// The tags and texts of an XML store, in UTF-8.
struct XMLStoreTokens {
    /// A start tag.
    struct Tag {
        var name: String
        var attributes: [(name: String, value: String)] = []
        /// The offset of the tag in the file, in bytes.
        var offset: Int

        /// Accesses the value of an attribute; nil if there is none.
        subscript(name: String) -> String? { attributes.first { $0.name == name }?.value }
    }

    /// A part of the file.
    enum Token {
        case start(Tag)
        case end(String)
        /// Text, with references replaced.
        case text(String)
    }

    private let bytes: [UInt8]
    private var position = 0
    /// The name of an empty-element tag, whose end token is next.
    private var pendingEnd: String?

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    // MARK: Prolog and end

    /// Reads everything before the root element.
    ///
    /// - Returns: whether the XML declaration does not contain `standalone="no"`.
    mutating func prolog() throws -> Bool {
        var isStandalone = true
        if starts(with: "\u{FEFF}") { position += 3 }
        if starts(with: "<?xml") {
            let declaration = String(decoding: try skip(through: "?>"), as: UTF8.self)
            isStandalone = !declaration.contains("standalone=\"no\"")
            if let encoding = declaration.range(of: "encoding=") {
                let name = declaration[encoding.upperBound...].dropFirst().prefix { $0 != "\"" && $0 != "'" }
                guard ["utf-8", "us-ascii"].contains(name.lowercased()) else {
                    throw StoredContentsError("unsupported encoding “\(name)”")
                }
            }
        }
        while true {
            skipSpace()
            if starts(with: "<!--") {
                _ = try skip(through: "-->")
            } else if starts(with: "<!DOCTYPE") {
                guard !(try skip(through: ">")).contains(UInt8(ascii: "[")) else {
                    throw StoredContentsError("declarations in the document type are not supported")
                }
            } else {
                return isStandalone
            }
        }
    }

    /// Checks that only white space and comments are left.
    mutating func end() throws {
        while true {
            skipSpace()
            guard position < bytes.count else { return }
            guard starts(with: "<!--") else { throw StoredContentsError("unexpected content behind the root element") }
            _ = try skip(through: "-->")
        }
    }

    // MARK: Tokens

    /// Returns the next token. Throws an error at the end of the file, because end tags are missing.
    mutating func next() throws -> Token {
        if let name = pendingEnd {
            pendingEnd = nil
            return .end(name)
        }
        while starts(with: "<!--") { _ = try skip(through: "-->") }
        guard position < bytes.count else { throw StoredContentsError("the file ends too early") }
        if starts(with: "<![CDATA[") {
            position += 9
            return .text(try string(try skip(through: "]]>").dropLast(3)))
        }
        if starts(with: "</") {
            position += 2
            let name = try name()
            skipSpace()
            try expect(">")
            return .end(name)
        }
        guard bytes[position] == UInt8(ascii: "<") else { return .text(try text()) }
        return .start(try tag())
    }

    /// Returns the bytes of an element from its start tag through its end tag. The next token is the element's end.
    mutating func rest(of tag: Tag) throws -> ArraySlice<UInt8> {
        var depth = 1
        while depth > 0 {
            switch try next() {
            case .start: depth += 1
            case .end: depth -= 1
            case .text: break
            }
        }
        return bytes[tag.offset..<position]
    }

    private mutating func tag() throws -> Tag {
        let offset = position
        position += 1
        var tag = Tag(name: try name(), offset: offset)
        while true {
            skipSpace()
            if starts(with: "/>") {
                position += 2
                pendingEnd = tag.name
                return tag
            }
            if starts(with: ">") {
                position += 1
                return tag
            }
            let name = try name()
            skipSpace()
            try expect("=")
            skipSpace()
            guard position < bytes.count, [0x22, 0x27].contains(bytes[position]) else {
                throw StoredContentsError("the value of “\(name)” is not in quotes")
            }
            let quote = bytes[position]
            position += 1
            guard let end = bytes[position...].firstIndex(of: quote) else {
                throw StoredContentsError("the file ends too early")
            }
            guard tag[name] == nil else { throw StoredContentsError("“\(tag.name)” has “\(name)” twice") }
            tag.attributes.append((name, try resolved(bytes[position..<end])))
            position = end + 1
        }
    }

    private mutating func name() throws -> String {
        let start = position
        while position < bytes.count, Self.isInName(bytes[position]) { position += 1 }
        guard position > start else { throw StoredContentsError("a name is missing at byte \(position)") }
        return try string(bytes[start..<position])
    }

    private static func isInName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: ":"): true
        case UInt8(ascii: "."): true
        default: byte >= 0x80
        }
    }

    private mutating func text() throws -> String {
        let end = bytes[position...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
        defer { position = end }
        return try resolved(bytes[position..<end])
    }

    /// Returns text with references replaced and line endings normalized to one character.
    private func resolved(_ part: ArraySlice<UInt8>) throws -> String {
        var text = try string(part)
        if part.contains(0x0D) {
            text = text.replacingOccurrences(of: "\r\n", with: "\n").replacingOccurrences(of: "\r", with: "\n")
        }
        guard part.contains(UInt8(ascii: "&")) else { return text }
        var result = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "&") {
            result += rest[..<start]
            guard let end = rest[start...].firstIndex(of: ";") else { throw StoredContentsError("invalid reference") }
            result.unicodeScalars.append(try Self.scalar(rest[rest.index(after: start)..<end]))
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private static func scalar(_ reference: Substring) throws -> Unicode.Scalar {
        switch reference {
        case "lt": return "<"
        case "gt": return ">"
        case "amp": return "&"
        case "quot": return "\""
        case "apos": return "'"
        default:
            let number =
                reference.hasPrefix("#x")
                ? UInt32(reference.dropFirst(2), radix: 16)
                : reference.hasPrefix("#") ? UInt32(reference.dropFirst()) : nil
            guard let scalar = number.flatMap(Unicode.Scalar.init) else {
                throw StoredContentsError("unknown reference “&\(reference.prefix(20));”")
            }
            return scalar
        }
    }

    // MARK: Bytes

    private func string(_ part: ArraySlice<UInt8>) throws -> String {
        guard let text = String(validating: part, as: UTF8.self) else { throw StoredContentsError("invalid UTF-8") }
        return text
    }

    private func starts(with text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count - position >= count else { return false }
        for offset in 0..<count where bytes[position + offset] != text.utf8Start[offset] { return false }
        return true
    }

    private mutating func expect(_ text: StaticString) throws {
        guard starts(with: text) else { throw StoredContentsError("“\(text)” is missing at byte \(position)") }
        position += text.utf8CodeUnitCount
    }

    private mutating func skipSpace() {
        while position < bytes.count, [0x09, 0x0A, 0x0D, 0x20].contains(bytes[position]) { position += 1 }
    }

    /// Skips through a text, and returns the skipped bytes including it.
    private mutating func skip(through text: StaticString) throws -> ArraySlice<UInt8> {
        let start = position
        while position < bytes.count {
            if starts(with: text) {
                position += text.utf8CodeUnitCount
                return bytes[start..<position]
            }
            position += 1
        }
        throw StoredContentsError("the file ends too early")
    }
}
