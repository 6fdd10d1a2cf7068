internal import CoreData
internal import PostgreSQLSchema

/// The statements of a script.
enum PostgreSQLScript {
    /// Returns the statements without comments before them and without the semicolons between them.
    static func statements(in text: String) -> [String] {
        let bytes = Array(text.utf8)
        var result: [String] = []
        var start = 0
        var index = 0
        func add(to end: Int) {
            let statement = trimmed(bytes[start..<end])
            if !statement.isEmpty { result.append(statement) }
        }
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: ";"):
                add(to: index)
                index += 1
                start = index
            case UInt8(ascii: "'"):
                let isEscaped = index > start && (bytes[index - 1] | 0x20) == UInt8(ascii: "e")
                index = end(ofQuoted: bytes, from: index, quote: bytes[index], escapes: isEscaped)
            case UInt8(ascii: "\""): index = end(ofQuoted: bytes, from: index, quote: bytes[index], escapes: false)
            case UInt8(ascii: "-") where index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "-"):
                while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
            case UInt8(ascii: "/") where index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "*"):
                index = end(ofComment: bytes, from: index)
            case UInt8(ascii: "$"): index = end(ofDollarQuoted: bytes, from: index)
            default: index += 1
            }
        }
        add(to: bytes.count)
        return result
    }

    private static func end(ofQuoted bytes: [UInt8], from start: Int, quote: UInt8, escapes: Bool) -> Int {
        var index = start + 1
        while index < bytes.count {
            if escapes, bytes[index] == UInt8(ascii: "\\") {
                index += 2
            } else if bytes[index] == quote {
                return index + 1
            } else {
                index += 1
            }
        }
        return bytes.count
    }

    /// Comments contain other comments.
    private static func end(ofComment bytes: [UInt8], from start: Int) -> Int {
        var (index, depth) = (start + 2, 1)
        while index < bytes.count, depth > 0 {
            let pair = bytes[index...].prefix(2)
            if pair.elementsEqual("/*".utf8) {
                (index, depth) = (index + 2, depth + 1)
            } else if pair.elementsEqual("*/".utf8) {
                (index, depth) = (index + 2, depth - 1)
            } else {
                index += 1
            }
        }
        return index
    }

    private static func end(ofDollarQuoted bytes: [UInt8], from start: Int) -> Int {
        func isTag(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: "_") || byte >= 0x80 || (48...57).contains(byte) || (97...122).contains(byte | 0x20)
        }
        // A parameter, or a dollar sign within a name.
        if start > 0, isTag(bytes[start - 1]) { return start + 1 }
        guard let close = bytes[(start + 1)...].firstIndex(where: { !isTag($0) }), bytes[close] == UInt8(ascii: "$"),
            !(48...57).contains(bytes[start + 1])
        else { return start + 1 }
        let tag = bytes[start...close]
        var index = close + 1
        while index + tag.count <= bytes.count {
            if bytes[index] == UInt8(ascii: "$"), bytes[index..<(index + tag.count)].elementsEqual(tag) {
                return index + tag.count
            }
            index += 1
        }
        return bytes.count
    }

    /// Returns a statement without the spaces and comments around it.
    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
        var rest = bytes
        func isSpace(_ byte: UInt8) -> Bool { byte <= 0x20 }
        while true {
            rest = rest.drop(while: isSpace)
            if rest.prefix(2).elementsEqual("--".utf8) {
                rest = rest.drop { $0 != UInt8(ascii: "\n") }
            } else if rest.prefix(2).elementsEqual("/*".utf8) {
                rest = rest[end(ofComment: Array(rest), from: 0) + rest.startIndex..<rest.endIndex]
            } else {
                break
            }
        }
        while let last = rest.last, isSpace(last) { rest = rest.dropLast() }
        return String(decoding: rest, as: UTF8.self)
    }
}
