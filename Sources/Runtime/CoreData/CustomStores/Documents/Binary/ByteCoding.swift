internal import Diagnostics
internal import Foundation

/// Reads the parts of a binary store. Never reads beyond its end.
struct ByteReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// Returns the next bytes.
    mutating func bytes(_ count: Int) throws -> ArraySlice<UInt8> {
        guard count >= 0, count <= rest.count else { throw StoredContentsError("the file ends too early") }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// Returns a number of fixed size in little-endian order.
    mutating func fixed<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
        var result: Number = 0
        for (index, byte) in try bytes(Number.bitWidth / 8).enumerated() {
            result |= Number(truncatingIfNeeded: byte) << Number(index * 8)
        }
        return result
    }

    /// Returns a number with 7 bits per byte, least significant first; the highest bit is set if another byte follows.
    mutating func unsigned() throws -> UInt64 {
        var result: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try fixed(UInt8.self)
            guard shift < 63 || (shift == 63 && byte <= 1) else { throw StoredContentsError("a number is too large") }
            result |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return result }
            shift += 7
        }
    }

    /// Returns a signed number, whose sign is the lowest bit.
    mutating func integer() throws -> Int64 {
        let number = try unsigned()
        return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }

    /// Returns the number of parts that follow, of at least one byte each.
    mutating func count() throws -> Int {
        let number = try unsigned()
        guard number <= UInt64(rest.count) else { throw StoredContentsError("the file ends too early") }
        return Int(number)
    }

    /// Returns bytes that are preceded by their count.
    mutating func counted() throws -> ArraySlice<UInt8> { try bytes(count()) }

    /// Returns UTF-8 text that is preceded by its byte count.
    mutating func text() throws -> String {
        guard let text = String(validUTF8: try counted()) else {
            throw StoredContentsError("a string is not valid UTF-8")
        }
        return text
    }
}

/// Writes the parts of a binary store; see `ByteReader`.
struct ByteWriter {
    var bytes: [UInt8] = []

    mutating func fixed<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }

    mutating func unsigned(_ number: UInt64) {
        var number = number
        while number >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: number) | 0x80)
            number >>= 7
        }
        bytes.append(UInt8(number))
    }

    mutating func integer(_ number: Int64) { unsigned(UInt64(bitPattern: number << 1 ^ number >> 63)) }

    mutating func count(_ count: Int) { unsigned(UInt64(count)) }

    mutating func counted(_ part: some Collection<UInt8>) {
        count(part.count)
        bytes += part
    }

    mutating func text(_ text: String) { counted(text.utf8) }
}
