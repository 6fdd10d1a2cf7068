/// Converts a UUID between its text and its 16 bytes.
package enum UUIDText {
    /// Returns the text as Apple writes it, in uppercase; `nil` if there are not 16 bytes.
    package static func text(of bytes: [UInt8]) -> String? {
        guard bytes.count == 16 else { return nil }
        var text = ""
        for (position, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(position) { text += "-" }
            text += String(byte >> 4, radix: 16, uppercase: true) + String(byte & 15, radix: 16, uppercase: true)
        }
        return text
    }

    /// Returns the bytes; `nil` if the text is not a UUID.
    package static func bytes(of text: String) -> [UInt8]? {
        let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard groups.map(\.count) == [8, 4, 4, 4, 12] else { return nil }
        let digits = groups.joined().map { Character(Unicode.Scalar($0)).hexDigitValue }
        var bytes: [UInt8] = []
        for position in stride(from: 0, to: digits.count - 1, by: 2) {
            guard let high = digits[position], let low = digits[position + 1] else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }
}
