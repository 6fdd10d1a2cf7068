/// Base64 (RFC 4648, 4) with padding, the encoding of checksums, digests and mapping models.
package enum Base64 {
    /// Returns the base64 text of bytes.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        bytes.withUnsafeBytes { append($0, to: &text) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the base64 text of bytes to a text.
    package static func append(_ bytes: UnsafeRawBufferPointer, to text: inout [UInt8]) {
        let end = text.count
        let size = (bytes.count + 2) / 3 * 4
        // Without optimization, appending a repeated element took a third of the time of an export.
        text.append(contentsOf: [UInt8](repeating: UInt8(ascii: "="), count: size))
        alphabet.withUnsafeBufferPointer { alphabet in
            text.withUnsafeMutableBufferPointer { text in
                var position = end
                var index = 0
                while index < bytes.count {
                    let count = min(3, bytes.count - index)
                    var bits = UInt32(bytes[index]) << 16
                    if count > 1 { bits |= UInt32(bytes[index + 1]) << 8 }
                    if count > 2 { bits |= UInt32(bytes[index + 2]) }
                    text[position] = alphabet[Int(bits >> 18)]
                    text[position + 1] = alphabet[Int(bits >> 12 & 0x3F)]
                    if count > 1 { text[position + 2] = alphabet[Int(bits >> 6 & 0x3F)] }
                    if count > 2 { text[position + 3] = alphabet[Int(bits & 0x3F)] }
                    index += 3
                    position += 4
                }
            }
        }
    }

    /// Returns the bytes of a base64 text, ignoring whitespace; `nil` if the text is invalid.
    package static func decode(_ text: String) -> [UInt8]? { decode(Array(text.utf8)) }

    /// Returns the bytes of a base64 text, ignoring whitespace; `nil` if the text is invalid.
    ///
    /// - Parameter requiresPadding: Whether a text whose end has no padding is invalid, as it may be truncated.
    package static func decode(_ text: [UInt8], requiresPadding: Bool = false) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(text.count / 4 * 3)
        var bits: UInt32 = 0
        var count = 0
        var padding = 0
        for byte in text {
            let value: UInt32
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = UInt32(byte - UInt8(ascii: "A"))
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = UInt32(byte - UInt8(ascii: "a")) + 26
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = UInt32(byte - UInt8(ascii: "0")) + 52
            case UInt8(ascii: "+"): value = 62
            case UInt8(ascii: "/"): value = 63
            case UInt8(ascii: "="):
                padding += 1
                continue
            case 0x20, 0x09, 0x0A, 0x0D: continue
            default: return nil
            }
            guard padding == 0 else { return nil }
            bits = bits << 6 | value
            count += 1
            if count == 4 {
                result += [UInt8(truncatingIfNeeded: bits >> 16), UInt8(truncatingIfNeeded: bits >> 8)]
                result.append(UInt8(truncatingIfNeeded: bits))
                (bits, count) = (0, 0)
            }
        }
        guard !requiresPadding || count == 0 || padding > 0 else { return nil }
        switch (count, padding) {
        case (0, 0): return result
        case (2, 0), (2, 2): return result + [UInt8(truncatingIfNeeded: bits >> 4)]
        case (3, 0), (3, 1):
            return result + [UInt8(truncatingIfNeeded: bits >> 10), UInt8(truncatingIfNeeded: bits >> 2)]
        default: return nil
        }
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
}
