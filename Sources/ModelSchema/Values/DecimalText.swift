/// A decimal number, converted between its text and its parts in an archive: a sign, a mantissa of up to eight words of
/// 16 bits, least significant first, and a power of ten.
package struct DecimalText: Hashable, Sendable {
    /// Whether the number is negative.
    package var isNegative: Bool
    /// The mantissa without leading zero words.
    package var mantissa: [UInt16]
    /// The power of ten that the mantissa is multiplied by, -128 to 127.
    package var exponent: Int

    /// Creates a number from its parts.
    package init(isNegative: Bool, mantissa: [UInt16], exponent: Int) {
        self.isNegative = isNegative
        self.mantissa = mantissa
        self.exponent = exponent
        dropLeadingZeros()
    }

    /// Parses the number at the start of a text, as `NSDecimalNumber(string:)` does; `nil` if there is none.
    ///
    /// Zeros after the decimal point are significant: `0.0` has the exponent -1 in Apple's files. Digits that do not
    /// fit in the mantissa are truncated.
    package init?(_ text: String) {
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
            // An exponent with more digits is out of range anyway.
            exponent += Int(String(decoding: bytes.dropFirst().prefix(6), as: UTF8.self)) ?? 0
        }
        guard -128...127 ~= exponent else { return nil }
    }

    /// Multiplies the mantissa by ten and adds a digit. Returns false if the result does not fit.
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
    /// The number without an exponent, with the number of decimal places that the power of ten gives.
    package var description: String {
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
