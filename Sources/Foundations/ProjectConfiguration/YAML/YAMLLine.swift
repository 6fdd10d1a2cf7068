/// Reads keys, scalars and flow collections within a line of a YAML file.
struct YAMLLine {
    private let bytes: [UInt8]
    /// The offset of the next byte.
    private var offset: Int
    private let end: Int

    init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        offset = range.lowerBound
        end = range.upperBound
    }

    typealias Node = YAMLSubset.Node
    typealias Failure = YAMLSubset.Failure

    /// The maximum length of a key, in bytes. libyaml limits keys to 1024 characters.
    private static let keyLimit = 1000

    private var next: UInt8? { offset < end ? bytes[offset] : nil }

    /// Whether only spaces and a comment follow.
    var isAtEnd: Bool {
        let first = (offset..<end).first { bytes[$0] != UInt8(ascii: " ") }
        guard let first else { return true }
        return bytes[first] == UInt8(ascii: "#") && isAfterSpace(first)
    }

    private func isAfterSpace(_ offset: Int) -> Bool { offset > 0 && bytes[offset - 1] == UInt8(ascii: " ") }

    // MARK: Block context

    /// Reads a key with its colon and the spaces after it. Returns `nil` if the line does not begin with a key.
    mutating func key() throws(Failure) -> String? {
        let start = offset
        let key: String
        if next == UInt8(ascii: "\"") || next == UInt8(ascii: "'") {
            key = try quoted()
        } else if Self.canBeginPlain(next, before: offset + 1 < end ? bytes[offset + 1] : nil, inFlow: false) {
            key = try plain(inFlow: false)
        } else {
            return nil
        }
        skipSpaces()
        guard next == UInt8(ascii: ":"), endsKey(offset) else {
            offset = start
            return nil
        }
        guard offset - start <= Self.keyLimit else {
            throw Failure(offset: start, message: "the key is longer than \(Self.keyLimit) bytes")
        }
        offset += 1
        skipSpaces()
        return key
    }

    /// Reads a value and checks that nothing follows it.
    mutating func value(depth: Int) throws(Failure) -> Node {
        let start = offset
        let node = try item(depth: depth, inFlow: false)
        guard isAtEnd else {
            skipSpaces()
            if next == UInt8(ascii: ":") {
                throw Failure(
                    offset: start, message: "unsupported YAML syntax: a key in a value; quote a text with “: ”")
            }
            throw Failure(offset: offset, message: "unexpected text after the value")
        }
        return node
    }

    // MARK: Values

    private mutating func item(depth: Int, inFlow: Bool) throws(Failure) -> Node {
        let start = offset
        guard depth < YAMLSubset.maximumDepth else {
            throw Failure(offset: start, message: "the file nests more than \(YAMLSubset.maximumDepth) levels")
        }
        switch next {
        case nil: return .scalar("", start)
        case UInt8(ascii: "["): return try flowSequence(depth: depth)
        case UInt8(ascii: "{"): return try flowMapping(depth: depth)
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return .scalar(try quoted(), start)
        case let first?:
            guard Self.canBeginPlain(first, before: offset + 1 < end ? bytes[offset + 1] : nil, inFlow: inFlow) else {
                throw Failure(
                    offset: start, message: "unsupported YAML syntax: “\(Character(Unicode.Scalar(first)))”")
            }
            return .scalar(try plain(inFlow: inFlow), start)
        }
    }

    private mutating func flowSequence(depth: Int) throws(Failure) -> Node {
        let start = offset
        offset += 1
        var items: [Node] = []
        while try !closes(UInt8(ascii: "]"), openedAt: start) {
            items.append(try item(depth: depth + 1, inFlow: true))
            try separator(UInt8(ascii: "]"), openedAt: start)
        }
        return .sequence(items, start)
    }

    private mutating func flowMapping(depth: Int) throws(Failure) -> Node {
        let start = offset
        offset += 1
        var members: [(key: String, offset: Int, value: Node)] = []
        var keys: Set<String> = []
        while try !closes(UInt8(ascii: "}"), openedAt: start) {
            let location = offset
            guard case .scalar(let key, _) = try item(depth: depth + 1, inFlow: true) else {
                throw Failure(offset: location, message: "unsupported YAML syntax: a collection as a key")
            }
            guard offset - location <= Self.keyLimit else {
                throw Failure(offset: location, message: "the key is longer than \(Self.keyLimit) bytes")
            }
            guard keys.insert(key).inserted else {
                throw Failure(offset: location, message: "duplicate key “\(YAMLText.shown(key))”")
            }
            skipSpaces()
            guard next == UInt8(ascii: ":"), endsKey(offset) else {
                throw Failure(
                    offset: offset, message: "expected a colon and a space after “\(YAMLText.shown(key))”")
            }
            offset += 1
            skipSpaces()
            let isMissing = next == UInt8(ascii: ",") || next == UInt8(ascii: "}")
            members.append((key, location, isMissing ? .scalar("", offset) : try item(depth: depth + 1, inFlow: true)))
            try separator(UInt8(ascii: "}"), openedAt: start)
        }
        return .mapping(members, start)
    }

    private mutating func closes(_ bracket: UInt8, openedAt start: Int) throws(Failure) -> Bool {
        skipSpaces()
        guard let byte = next, byte != UInt8(ascii: "#") else { throw unclosed(bracket, start) }
        guard byte == bracket else { return false }
        offset += 1
        return true
    }

    private mutating func separator(_ bracket: UInt8, openedAt start: Int) throws(Failure) {
        skipSpaces()
        guard let byte = next, byte != UInt8(ascii: "#") else { throw unclosed(bracket, start) }
        if byte == bracket { return }
        guard byte == UInt8(ascii: ",") else {
            throw Failure(offset: offset, message: "expected “,” or “\(Character(Unicode.Scalar(bracket)))”")
        }
        offset += 1
    }

    private func unclosed(_ bracket: UInt8, _ start: Int) -> Failure {
        Failure(
            offset: start,
            message: "missing “\(Character(Unicode.Scalar(bracket)))”: a collection in brackets must end in its line")
    }

    // MARK: Plain scalars

    /// Returns whether a byte, with the one after it, can begin a plain scalar.
    private static func canBeginPlain(_ byte: UInt8?, before following: UInt8?, inFlow: Bool) -> Bool {
        guard let byte else { return false }
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"),
            UInt8(ascii: "#"), UInt8(ascii: "&"), UInt8(ascii: "*"), UInt8(ascii: "!"), UInt8(ascii: "|"),
            UInt8(ascii: ">"), UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "%"), UInt8(ascii: "@"),
            UInt8(ascii: "`"), UInt8(ascii: "?"), UInt8(ascii: ":"), UInt8(ascii: "\t"):
            return false
        case UInt8(ascii: "-"):
            guard let following, following != UInt8(ascii: " ") else { return false }
            return !inFlow || !isFlowIndicator(following)
        default: return true
        }
    }

    private static func isFlowIndicator(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"): true
        default: false
        }
    }

    /// Returns whether the colon at an offset ends a key.
    private func endsKey(_ colon: Int) -> Bool { colon + 1 == end || bytes[colon + 1] == UInt8(ascii: " ") }

    /// Reads a plain scalar up to a colon that ends a key, a comment or, in a flow collection, an indicator.
    private mutating func plain(inFlow: Bool) throws(Failure) -> String {
        let start = offset
        scan: while let byte = next {
            switch byte {
            case UInt8(ascii: ":"):
                if endsKey(offset) { break scan }
                if inFlow, Self.isFlowIndicator(bytes[offset + 1]) || bytes[offset + 1] == UInt8(ascii: "?") {
                    throw Failure(offset: offset, message: "unsupported YAML syntax: “:”; quote the text")
                }
            case UInt8(ascii: "#"): if isAfterSpace(offset) { break scan }
            case UInt8(ascii: "[") where inFlow, UInt8(ascii: "{") where inFlow:
                throw Failure(
                    offset: offset,
                    message: "unsupported YAML syntax: “\(Character(Unicode.Scalar(byte)))”; quote the text")
            case UInt8(ascii: "\t"): throw Failure(offset: offset, message: "unsupported YAML syntax: a tab")
            default: if inFlow, Self.isFlowIndicator(byte) { break scan }
            }
            offset += 1
        }
        var last = offset
        while last > start, bytes[last - 1] == UInt8(ascii: " ") { last -= 1 }
        return String(decoding: bytes[start..<last], as: UTF8.self)
    }

    private mutating func skipSpaces() {
        while next == UInt8(ascii: " ") { offset += 1 }
    }

    // MARK: Quoted scalars

    private mutating func quoted() throws(Failure) -> String {
        let start = offset
        let quote = bytes[offset]
        offset += 1
        var text: [UInt8] = []
        while let byte = next {
            offset += 1
            if byte == quote {
                guard quote == UInt8(ascii: "'"), next == quote else { return String(decoding: text, as: UTF8.self) }
                offset += 1
                text.append(quote)
            } else if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                text += try escape().utf8
            } else {
                text.append(byte)
            }
        }
        throw Failure(offset: start, message: "missing end quote: a text in quotes must end in its line")
    }

    /// Reads an escape sequence after its backslash.
    private mutating func escape() throws(Failure) -> String {
        let start = offset - 1
        guard let byte = next else {
            throw Failure(offset: start, message: "unsupported YAML syntax: a text over several lines")
        }
        offset += 1
        switch byte {
        case UInt8(ascii: "0"): return "\0"
        case UInt8(ascii: "a"): return "\u{07}"
        case UInt8(ascii: "b"): return "\u{08}"
        case UInt8(ascii: "t"), UInt8(ascii: "\t"): return "\t"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "v"): return "\u{0B}"
        case UInt8(ascii: "f"): return "\u{0C}"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "e"): return "\u{1B}"
        case UInt8(ascii: " "): return " "
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "N"): return "\u{85}"
        case UInt8(ascii: "_"): return "\u{A0}"
        case UInt8(ascii: "L"): return "\u{2028}"
        case UInt8(ascii: "P"): return "\u{2029}"
        case UInt8(ascii: "x"): return try scalar(digits: 2, start)
        case UInt8(ascii: "u"): return try scalar(digits: 4, start)
        case UInt8(ascii: "U"): return try scalar(digits: 8, start)
        default: throw Failure(offset: start, message: "invalid escape sequence; write “\\\\” for a backslash")
        }
    }

    private mutating func scalar(digits: Int, _ start: Int) throws(Failure) -> String {
        let text = bytes[offset..<min(offset + digits, end)]
        guard text.count == digits, text.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let value = UInt32(String(decoding: text, as: UTF8.self), radix: 16), let scalar = Unicode.Scalar(value)
        else { throw Failure(offset: start, message: "invalid escape sequence; expected \(digits) hexadecimal digits") }
        offset += digits
        return String(Character(scalar))
    }
}
