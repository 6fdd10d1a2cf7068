/// A property list in the old text format, as in `project.pbxproj`, with the range of every value.
struct PropertyListText {
    /// A value and its byte range.
    struct Node: Sendable {
        indirect enum Value: Sendable {
            case string(String)
            case array([Node])
            case dictionary([Entry])
        }

        var value: Value
        /// The byte range, including delimiters.
        var range: Range<Int>

        /// The text of a string, or `nil` for other values.
        var string: String? { if case .string(let text) = value { text } else { nil } }

        /// The elements of an array, or `nil` for other values.
        var array: [Node]? { if case .array(let nodes) = value { nodes } else { nil } }

        /// The entries of a dictionary, or `nil` for other values.
        var entries: [Entry]? { if case .dictionary(let entries) = value { entries } else { nil } }

        /// Returns the value of a key of a dictionary.
        subscript(_ key: String) -> Node? { entries?.first { $0.key == key }?.value }
    }

    /// A key with its value and the byte range of both, including the semicolon.
    struct Entry: Sendable {
        var key: String
        var value: Node
        var range: Range<Int>
    }

    /// The reason why a text is not a valid property list.
    struct Malformed: Error {
        /// The byte offset.
        var offset: Int
        var message: String
    }

    /// The maximum nesting of values; in projects it is five.
    private static let depthLimit = 64

    private let bytes: [UInt8]
    private var position = 0

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    static func parse(_ bytes: [UInt8]) throws(Malformed) -> Node {
        var parser = PropertyListText(bytes)
        try parser.skipBlanks()
        let node = try parser.value(depth: 0)
        try parser.skipBlanks()
        guard parser.position == bytes.count else { throw parser.malformed("text after the end of the property list") }
        return node
    }

    private func malformed(_ message: String) -> Malformed { Malformed(offset: position, message: message) }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipBlanks() throws(Malformed) {
        while let byte = next {
            if [0x20, 0x09, 0x0A, 0x0D].contains(byte) {
                position += 1
            } else if byte == UInt8(ascii: "/"), position + 1 < bytes.count, bytes[position + 1] == UInt8(ascii: "*") {
                let start = position
                position += 2
                while position + 1 < bytes.count,
                    !(bytes[position] == UInt8(ascii: "*") && bytes[position + 1] == UInt8(ascii: "/"))
                {
                    position += 1
                }
                guard position + 1 < bytes.count else {
                    position = start
                    throw malformed("unterminated comment")
                }
                position += 2
            } else if byte == UInt8(ascii: "/"), position + 1 < bytes.count, bytes[position + 1] == UInt8(ascii: "/") {
                while let byte = next, byte != 0x0A { position += byte == 0x0A ? 0 : 1 }
            } else {
                return
            }
        }
    }

    private mutating func expect(_ character: Unicode.Scalar) throws(Malformed) {
        guard next == UInt8(ascii: character) else { throw malformed("“\(character)” is missing") }
        position += 1
    }

    private mutating func value(depth: Int) throws(Malformed) -> Node {
        guard depth < Self.depthLimit else { throw malformed("values are nested too deeply") }
        let start = position
        switch next {
        case UInt8(ascii: "{"): return Node(value: .dictionary(try entries(depth)), range: start..<position)
        case UInt8(ascii: "("): return Node(value: .array(try elements(depth)), range: start..<position)
        default: return Node(value: .string(try string()), range: start..<position)
        }
    }

    private mutating func entries(_ depth: Int) throws(Malformed) -> [Entry] {
        position += 1
        var entries: [Entry] = []
        try skipBlanks()
        while next != UInt8(ascii: "}") {
            let start = position
            let key = try string()
            try skipBlanks()
            try expect("=")
            try skipBlanks()
            let value = try value(depth: depth + 1)
            try skipBlanks()
            try expect(";")
            entries.append(Entry(key: key, value: value, range: start..<position))
            try skipBlanks()
        }
        position += 1
        return entries
    }

    private mutating func elements(_ depth: Int) throws(Malformed) -> [Node] {
        position += 1
        var nodes: [Node] = []
        try skipBlanks()
        while next != UInt8(ascii: ")") {
            nodes.append(try value(depth: depth + 1))
            try skipBlanks()
            if next == UInt8(ascii: ",") {
                position += 1
                try skipBlanks()
            } else if next != UInt8(ascii: ")") {
                throw malformed("“,” is missing")
            }
        }
        position += 1
        return nodes
    }

    private mutating func string() throws(Malformed) -> String {
        if next == UInt8(ascii: "\"") { return try quotedString() }
        let start = position
        while let byte = next, Self.isPlain(byte) { position += 1 }
        guard position > start else { throw malformed(next == nil ? "unexpected end" : "a value is missing") }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func quotedString() throws(Malformed) -> String {
        let start = position
        position += 1
        var text: [UInt8] = []
        while let byte = next, byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\"), position + 1 < bytes.count {
                position += 1
                switch bytes[position] {
                case UInt8(ascii: "n"): text.append(0x0A)
                case UInt8(ascii: "t"): text.append(0x09)
                case let other: text.append(other)
                }
            } else {
                text.append(byte)
            }
            position += 1
        }
        guard next != nil else {
            position = start
            throw malformed("unterminated string")
        }
        position += 1
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns whether a character can be part of an unquoted string.
    static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "/"),
            UInt8(ascii: "$"), UInt8(ascii: "-"), UInt8(ascii: ":"), 0x80...:
            true
        default: false
        }
    }

    /// Returns a text as Xcode writes it: quoted if it contains anything other than letters, digits, `_`, `.`, `/` and
    /// `$`.
    static func literal(_ text: String) -> String {
        let isBare = !text.isEmpty && text.utf8.allSatisfy { isPlain($0) && $0 != 0x2D && $0 != 0x3A && $0 < 0x80 }
        if isBare { return text }
        var result = "\""
        for character in text.unicodeScalars {
            switch character {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            default: result.unicodeScalars.append(character)
            }
        }
        return result + "\""
    }
}
