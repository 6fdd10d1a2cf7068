internal import Diagnostics

/// A scanner of XML in UTF-8, for property lists and XML stores.
///
/// It expands no entities but XML's predefined five, reads no other file, and needs neither FoundationXML nor libxml2,
/// which every program that reads compiled models would have to ship. It does not tolerate errors, unlike `XMLFile`
/// (ModelSource).
package struct XMLTokens {
    /// The reason why a file cannot be read.
    package struct Failure: Error {
        /// The problem, in one sentence without a period.
        package var message: String
        /// The offset of the problem, in bytes.
        package var offset: Int
    }

    /// A start tag.
    package struct Tag {
        /// The name of the element.
        package var name: String
        /// The attributes in order. No name occurs twice.
        package var attributes: [(name: String, value: String)] = []

        /// Returns the value of an attribute; `nil` if there is none.
        package subscript(name: String) -> String? { attributes.first { $0.name == name }?.value }
    }

    /// A part of the file.
    private enum Token {
        case start(Tag)
        case end(String)
        /// Text, with references replaced.
        case text(String)
    }

    private let bytes: [UInt8]
    private var position = 0
    /// The name of an empty-element tag, whose end token is next.
    private var pendingEnd: String?

    /// Creates a scanner at the start of a file.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Returns a failure at the current location.
    func failure(_ message: String) -> Failure { Failure(message: message, offset: position) }

    // MARK: Prolog and end

    /// Reads everything before the root element.
    ///
    /// - Returns: Whether the XML declaration does not contain `standalone="no"`.
    package mutating func prolog() throws(Failure) -> Bool {
        var isStandalone = true
        if starts(with: "\u{FEFF}") { position += 3 }
        if starts(with: "<?xml") {
            let declaration = String(decoding: try skip(through: "?>"), as: UTF8.self)
            isStandalone = !declaration.contains("standalone=\"no\"")
            if let encoding = declaration.firstRange(of: "encoding=") {
                let name = declaration[encoding.upperBound...].dropFirst().prefix { $0 != "\"" && $0 != "'" }
                guard ["utf-8", "us-ascii"].contains(name.lowercased()) else {
                    throw failure("unsupported encoding “\(name)”")
                }
            }
        }
        while true {
            skipSpace()
            if starts(with: "<!--") {
                _ = try skip(through: "-->")
            } else if starts(with: "<!DOCTYPE") {
                guard !(try skip(through: ">")).contains(UInt8(ascii: "[")) else {
                    throw failure("declarations in the document type are not supported")
                }
            } else {
                return isStandalone
            }
        }
    }

    /// Checks that only white space and comments are left.
    package mutating func end() throws(Failure) {
        while true {
            skipSpace()
            guard position < bytes.count else { return }
            guard starts(with: "<!--") else { throw failure("unexpected content after the root element") }
            _ = try skip(through: "-->")
        }
    }

    // MARK: Elements

    /// Reads the start tag of the root element, after the prolog.
    package mutating func root() throws(Failure) -> Tag {
        guard case .start(let tag) = try next() else { throw failure("the root element is missing") }
        return tag
    }

    /// Reads the next start tag in an element.
    ///
    /// - Parameter parent: The name of the element.
    /// - Returns: The tag; `nil` after the end tag of the element.
    package mutating func child(of parent: String) throws(Failure) -> Tag? {
        while true {
            switch try next() {
            case .start(let tag): return tag
            case .end(let name):
                guard name == parent else { throw failure("“\(parent)” ends with “\(name)”") }
                return nil
            case .text(let text):
                guard text.utf8.allSatisfy({ [0x09, 0x0A, 0x0D, 0x20].contains($0) }) else {
                    throw failure("unexpected text in “\(parent)”: “\(text.prefix(40))”")
                }
            }
        }
    }

    /// Returns the text of an element without children, and moves past its end tag.
    package mutating func text(of element: String) throws(Failure) -> String {
        var result = ""
        while true {
            switch try next() {
            case .text(let text): result += text
            case .end(element): return result
            case .start(let tag): throw failure("unexpected element “\(tag.name)” in “\(element)”")
            case .end(let other): throw failure("“\(element)” ends with “\(other)”")
            }
        }
    }

    // MARK: Tokens

    /// Returns the next token. Throws an error at the end of the file, because end tags are missing.
    private mutating func next() throws(Failure) -> Token {
        if let name = pendingEnd {
            pendingEnd = nil
            return .end(name)
        }
        while starts(with: "<!--") { _ = try skip(through: "-->") }
        guard position < bytes.count else { throw failure("the file ends too early") }
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

    private mutating func tag() throws(Failure) -> Tag {
        position += 1
        var tag = Tag(name: try name())
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
                throw failure("the value of “\(name)” is not in quotes")
            }
            let quote = bytes[position]
            position += 1
            guard let end = bytes[position...].firstIndex(of: quote) else {
                throw failure("the file ends too early")
            }
            // Each is compared with the others.
            guard tag.attributes.count < 1000 else { throw failure("“\(tag.name)” has more than 1000 attributes") }
            guard tag[name] == nil else { throw failure("“\(tag.name)” has “\(name)” twice") }
            tag.attributes.append((name, try resolved(bytes[position..<end])))
            position = end + 1
        }
    }

    private mutating func name() throws(Failure) -> String {
        let start = position
        while position < bytes.count, Self.isInName(bytes[position]) { position += 1 }
        guard position > start else { throw failure("a name is missing at byte \(position)") }
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

    private mutating func text() throws(Failure) -> String {
        let end = bytes[position...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
        defer { position = end }
        return try resolved(bytes[position..<end])
    }

    /// Returns text with references replaced and line endings normalized to one character.
    private func resolved(_ part: ArraySlice<UInt8>) throws(Failure) -> String {
        guard part.contains(where: { $0 == 0x0D || $0 == UInt8(ascii: "&") }) else { return try string(part) }
        var result: [UInt8] = []
        var rest = part
        while let byte = rest.popFirst() {
            switch byte {
            case 0x0D:
                if rest.first == 0x0A { rest.removeFirst() }
                result.append(0x0A)
            case UInt8(ascii: "&"):
                guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { throw failure("invalid reference") }
                result += String(try scalar(string(rest[..<end]))).utf8
                rest = rest[(end + 1)...]
            default: result.append(byte)
            }
        }
        return try string(result[...])
    }

    private func scalar(_ reference: String) throws(Failure) -> Unicode.Scalar {
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
                throw failure("unknown reference “&\(reference.prefix(20));”")
            }
            return scalar
        }
    }

    // MARK: Bytes

    private func string(_ part: ArraySlice<UInt8>) throws(Failure) -> String {
        guard let text = String(validUTF8: part) else { throw failure("invalid UTF-8") }
        return text
    }

    private func starts(with text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count - position >= count else { return false }
        for offset in 0..<count where bytes[position + offset] != text.utf8Start[offset] { return false }
        return true
    }

    private mutating func expect(_ text: StaticString) throws(Failure) {
        guard starts(with: text) else { throw failure("“\(text)” is missing at byte \(position)") }
        position += text.utf8CodeUnitCount
    }

    private mutating func skipSpace() {
        while position < bytes.count, [0x09, 0x0A, 0x0D, 0x20].contains(bytes[position]) { position += 1 }
    }

    /// Skips through a text, and returns the skipped bytes including it.
    private mutating func skip(through text: StaticString) throws(Failure) -> ArraySlice<UInt8> {
        let start = position
        while position < bytes.count {
            if starts(with: text) {
                position += text.utf8CodeUnitCount
                return bytes[start..<position]
            }
            position += 1
        }
        throw failure("the file ends too early")
    }
}
