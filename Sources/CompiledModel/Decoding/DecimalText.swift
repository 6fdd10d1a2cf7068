/// A decimal number between its text and the parts that an archive has of it: a sign, a mantissa of up to eight words of
/// 16 bits, least significant first, and a power of ten.
struct DecimalText: Hashable {
    /// Whether the number is negative.
    var isNegative: Bool
    /// The mantissa without leading zero words.
    var mantissa: [UInt16]
    /// The power of ten that the mantissa is multiplied by, -128 to 127.
    var exponent: Int

    /// Makes a number of its parts.
    init(isNegative: Bool, mantissa: [UInt16], exponent: Int) {
        self.isNegative = isNegative
        self.mantissa = mantissa
        self.exponent = exponent
        dropLeadingZeros()
    }

    /// Reads the number that a text begins with, as `NSDecimalNumber(string:)` does; nil when it begins with none.
    ///
    /// Digits behind the point count even if they are zeros: `0.0` has the exponent -1 in Apple's files. Digits that
    /// have no room in the mantissa are cut off.
    init?(_ text: String) {
        var bytes = text.utf8.drop { $0 == UInt8(ascii: " ") }
        isNegative = bytes.first == UInt8(ascii: "-")
        if isNegative || bytes.first == UInt8(ascii: "+") { bytes.removeFirst() }
        mantissa = []
        exponent = 0
        var hasDigits = false
        var isFraction = false
        var isFull = false
        while let byte = bytes.first {
            if byte == UInt8(ascii: "."), !isFraction {
                isFraction = true
            } else if UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte {
                hasDigits = true
                isFull = isFull || !append(digit: byte - UInt8(ascii: "0"))
                if isFraction != isFull { exponent += isFull ? 1 : -1 }
            } else {
                break
            }
            bytes.removeFirst()
        }
        guard hasDigits else { return nil }
        if bytes.first == UInt8(ascii: "e") || bytes.first == UInt8(ascii: "E") {
            // More digits than these are out of range anyway.
            exponent += Int(String(decoding: bytes.dropFirst().prefix(6), as: UTF8.self)) ?? 0
        }
        guard -128...127 ~= exponent else { return nil }
    }

    /// Multiplies the mantissa by ten and adds a digit; false when it has no room.
    private mutating func append(digit: UInt8) -> Bool {
        var carry = UInt32(digit)
        var words = mantissa
        for position in words.indices {
            let sum = UInt32(words[position]) * 10 + carry
            words[position] = UInt16(truncatingIfNeeded: sum)
            carry = sum >> 16
        }
        if carry > 0 {
            guard words.count < 8 else { return false }
            words.append(UInt16(carry))
        }
        mantissa = words
        return true
    }

    private mutating func dropLeadingZeros() {
        while mantissa.last == 0 { mantissa.removeLast() }
    }
}

extension DecimalText: CustomStringConvertible {
    /// The number without an exponent, with as many digits behind the point as the power of ten says.
    var description: String {
        var digits: [UInt8] = []
        var rest = mantissa
        while !rest.isEmpty {
            var remainder: UInt32 = 0
            for position in rest.indices.reversed() {
                let value = remainder << 16 | UInt32(rest[position])
                rest[position] = UInt16(value / 10)
                remainder = value % 10
            }
            digits.append(UInt8(ascii: "0") + UInt8(remainder))
            while rest.last == 0 { rest.removeLast() }
        }
        if exponent > 0, !digits.isEmpty { digits = Array(repeating: UInt8(ascii: "0"), count: exponent) + digits }
        let fraction = max(0, -exponent)
        while digits.count <= fraction { digits.append(UInt8(ascii: "0")) }
        if fraction > 0 { digits.insert(UInt8(ascii: "."), at: fraction) }
        return (isNegative ? "-" : "") + String(decoding: digits.reversed(), as: UTF8.self)
    }
}

/// A UUID between its text and its 16 bytes.
enum UUIDText {
    /// The text as Apple writes it, in capitals; nil when there are not 16 bytes.
    static func text(of bytes: [UInt8]) -> String? {
        guard bytes.count == 16 else { return nil }
        var text = ""
        for (position, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(position) { text += "-" }
            text += String(byte >> 4, radix: 16, uppercase: true) + String(byte & 15, radix: 16, uppercase: true)
        }
        return text
    }

    /// The bytes; nil when the text is no UUID.
    static func bytes(of text: String) -> [UInt8]? {
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
