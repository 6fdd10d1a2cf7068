/// A JSON value whose numbers keep their digits.
package enum ParsedJSON: Sendable {
    case null
    case bool(Bool)
    /// The text of a number.
    case number(String)
    /// The UTF-8 bytes of a text.
    case string([UInt8])
    case array([ParsedJSON])
    case object([(key: String, value: ParsedJSON)])

    /// The reason why a text is not JSON.
    package struct Failure: Error {
        /// The problem, with its position.
        package var message: String
    }

    /// Parses a text.
    ///
    /// - Throws: `Failure` if it is not one JSON value in valid UTF-8.
    package static func parse(_ bytes: [UInt8]) throws(Failure) -> ParsedJSON {
        var parser = Parser(bytes: bytes)
        let value = try parser.value()
        parser.skipSpace()
        guard parser.position == bytes.count else { throw Failure(message: "text follows the JSON value") }
        return value
    }

    /// The text; `nil` for other values.
    package var text: String? {
        if case .string(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
    }

    /// The truth value; `nil` for other values.
    package var bool: Bool? { if case .bool(let truth) = self { truth } else { nil } }

    /// The strings of an array; `nil` for other values, and if an element is not a string.
    package var texts: [String]? {
        guard case .array(let elements) = self else { return nil }
        let texts = elements.compactMap(\.text)
        return texts.count == elements.count ? texts : nil
    }

    /// Returns the member of an object, the last of several with the key; `nil` if there is none.
    package subscript(_ key: String) -> ParsedJSON? {
        if case .object(let members) = self { members.last { $0.key == key }?.value } else { nil }
    }

    /// The type in messages.
    package var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "a Boolean"
        case .number: "a number"
        case .string: "text"
        case .array: "an array"
        case .object: "an object"
        }
    }

    private struct Parser {
        let bytes: [UInt8]
        var position = 0
        private var depth = 0
        private static let depthLimit = 100

        init(bytes: [UInt8]) {
            self.bytes = bytes
        }

        private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

        mutating func skipSpace() {
            while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
        }

        private mutating func take(_ byte: UInt8) -> Bool {
            skipSpace()
            guard next == byte else { return false }
            position += 1
            return true
        }

        private func failure(_ message: String) -> Failure {
            Failure(message: "\(message) at byte \(position + 1)")
        }

        mutating func value() throws(Failure) -> ParsedJSON {
            skipSpace()
            guard let byte = next else { throw failure("the JSON value is incomplete") }
            switch byte {
            case 0x22: return .string(try string())
            case 0x7B: return try object()
            case 0x5B: return try array()
            case 0x74: return try word("true", .bool(true))
            case 0x66: return try word("false", .bool(false))
            case 0x6E: return try word("null", .null)
            case 0x2D, 0x30...0x39: return .number(try number())
            default: throw failure("invalid JSON")
            }
        }

        private mutating func word(_ word: String, _ value: ParsedJSON) throws(Failure) -> ParsedJSON {
            guard bytes[position...].starts(with: word.utf8) else { throw failure("invalid JSON") }
            position += word.utf8.count
            return value
        }

        private mutating func enter() throws(Failure) {
            depth += 1
            guard depth <= Self.depthLimit else { throw failure("JSON nested too deeply") }
        }

        private mutating func object() throws(Failure) -> ParsedJSON {
            try enter()
            defer { depth -= 1 }
            position += 1
            var members: [(key: String, value: ParsedJSON)] = []
            if take(0x7D) { return .object(members) }
            repeat {
                skipSpace()
                guard next == 0x22 else { throw failure("a name in quotes is missing") }
                let key = String(decoding: try string(), as: UTF8.self)
                guard take(0x3A) else { throw failure("a colon is missing") }
                members.append((key, try value()))
            } while take(0x2C)
            guard take(0x7D) else { throw failure("a comma or closing brace is missing") }
            return .object(members)
        }

        private mutating func array() throws(Failure) -> ParsedJSON {
            try enter()
            defer { depth -= 1 }
            position += 1
            var elements: [ParsedJSON] = []
            if take(0x5D) { return .array(elements) }
            repeat { elements.append(try value()) } while take(0x2C)
            guard take(0x5D) else { throw failure("a comma or closing bracket is missing") }
            return .array(elements)
        }

        private mutating func number() throws(Failure) -> String {
            let start = position
            if next == 0x2D { position += 1 }
            // No digit follows a zero at the beginning.
            if next == 0x30 {
                position += 1
            } else {
                guard digits() > 0 else { throw failure("invalid number") }
            }
            if next == 0x2E {
                position += 1
                guard digits() > 0 else { throw failure("invalid number") }
            }
            if next == 0x65 || next == 0x45 {
                position += 1
                if next == 0x2B || next == 0x2D { position += 1 }
                guard digits() > 0 else { throw failure("invalid number") }
            }
            return String(decoding: bytes[start..<position], as: UTF8.self)
        }

        private mutating func digits() -> Int {
            let start = position
            while let byte = next, (0x30...0x39).contains(byte) { position += 1 }
            return position - start
        }

        private mutating func string() throws(Failure) -> [UInt8] {
            position += 1
            var result: [UInt8] = []
            var start = position
            var isASCII = true
            while true {
                guard position < bytes.count else { throw failure("a text is incomplete") }
                let byte = bytes[position]
                if byte == 0x22 { break }
                if byte == 0x5C {
                    result += bytes[start..<position]
                    position += 1
                    try escape(&result)
                    start = position
                    isASCII = false
                    continue
                }
                guard byte >= 0x20 else { throw failure("a control character in a text") }
                if byte >= 0x80 { isASCII = false }
                position += 1
            }
            if result.isEmpty { result = Array(bytes[start..<position]) } else { result += bytes[start..<position] }
            position += 1
            guard isASCII || String(validUTF8: result) != nil else {
                throw failure("a text is not valid UTF-8")
            }
            return result
        }

        private mutating func escape(_ result: inout [UInt8]) throws(Failure) {
            guard let byte = next else { throw failure("a text is incomplete") }
            position += 1
            switch byte {
            case 0x22, 0x5C, 0x2F: result.append(byte)
            case 0x62: result.append(0x08)
            case 0x66: result.append(0x0C)
            case 0x6E: result.append(0x0A)
            case 0x72: result.append(0x0D)
            case 0x74: result.append(0x09)
            case 0x75:
                var code = try unit()
                if (0xD800..<0xDC00).contains(code) {
                    guard position + 1 < bytes.count, bytes[position] == 0x5C, bytes[position + 1] == 0x75 else {
                        throw failure("an incomplete surrogate pair")
                    }
                    position += 2
                    let low = try unit()
                    guard (0xDC00..<0xE000).contains(low) else { throw failure("an invalid surrogate pair") }
                    code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
                }
                guard let scalar = Unicode.Scalar(code) else { throw failure("an invalid surrogate pair") }
                result += Array(String(Character(scalar)).utf8)
            default: throw failure("an invalid escape")
            }
        }

        private mutating func unit() throws(Failure) -> UInt32 {
            guard position + 4 <= bytes.count,
                bytes[position..<(position + 4)].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
                let code = UInt32(String(decoding: bytes[position..<(position + 4)], as: UTF8.self), radix: 16)
            else { throw failure("an invalid escape") }
            position += 4
            return code
        }
    }
}
