package import CoreData
internal import Foundation

/// Argument placeholders, and values as SQL literals.
package enum PostgreSQLLiterals {
    /// Replaces the argument placeholders in a statement: question marks outside of quoted names and literals.
    static func replacingMarks(in text: String, _ replacement: () -> String) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count + 16)
        var quote: UInt8?
        // Iterates over bytes, because a quote may be followed by a combining character, with which it forms one
        // `Character`.
        for byte in text.utf8 {
            if let open = quote {
                if byte == open { quote = nil }
                result.append(byte)
            } else if byte == UInt8(ascii: "?") {
                result += Array(replacement().utf8)
            } else {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { quote = byte }
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns a fragment with its arguments as literals, for definitions, which cannot have arguments.
    package static func text(of fragment: SQLFragment) -> String {
        var literals = fragment.arguments.map(literal)[...]
        return replacingMarks(in: fragment.text) { literals.popFirst() ?? "NULL" }
    }

    /// Returns the literal of a `bytea`.
    static func bytes(_ bytes: some Collection<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text = [UInt8]()
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes { text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        return "'\\x\(String(decoding: text, as: UTF8.self))'::bytea"
    }

    private static func literal(_ argument: SQLArgument) -> String {
        switch argument {
        case .null: return "NULL"
        case .boolean(let flag): return flag ? "TRUE" : "FALSE"
        case .integer(let number): return number < 0 ? "('\(number)'::bigint)" : "\(number)"
        case .real(let number): return "'\(number)'::double precision"
        case .decimal(let digits): return "\(PostgreSQLName.literal(digits))::numeric"
        case .text(let text): return "\(PostgreSQLName.literal(text))::text"
        case .uuid(let uuid): return "'\(uuid.uuidString)'::uuid"
        case .bytes(let bytes): return Self.bytes(bytes)
        case .array(let elements):
            return "ARRAY[\(elements.map(literal).joined(separator: ", "))]"
        }
    }
}
