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
        guard let number = Self.parse(text)?.number else { return nil }
        self = number
    }

    /// Returns the number at the start of a text, and whether the text is exactly that number; `nil` if there is none.
    package static func parse(_ text: String) -> (number: DecimalText, isExact: Bool)? {
        var number = DecimalText(isNegative: false, mantissa: [], exponent: 0)
        guard let isExact = number.read(text) else { return nil }
        return (number, isExact)
    }

    /// Reads a text, and returns whether it is exactly the number; `nil` if there is none.
    private mutating func read(_ text: String) -> Bool? {
        var bytes = text.utf8.drop { $0 == UInt8(ascii: " ") }
        isNegative = bytes.first == UInt8(ascii: "-")
        if isNegative || bytes.first == UInt8(ascii: "+") { bytes.removeFirst() }
        var hasDigits = false
        var isExact = text.utf8.first != UInt8(ascii: " ")
        var isFraction = false
        var isFull = false
        while let byte = bytes.first {
            if byte == UInt8(ascii: "."), !isFraction {
                isFraction = true
            } else if UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte {
                hasDigits = true
                isFull = isFull || !append(digit: byte - UInt8(ascii: "0"))
                if isFraction != isFull { exponent += isFull ? 1 : -1 }
                if isFull, byte != UInt8(ascii: "0") { isExact = false }
            } else {
                break
            }
            bytes.removeFirst()
        }
        guard hasDigits else { return nil }
        if bytes.first == UInt8(ascii: "e") || bytes.first == UInt8(ascii: "E") {
            bytes.removeFirst()
            let isSigned = bytes.first == UInt8(ascii: "-") || bytes.first == UInt8(ascii: "+")
            let sign = isSigned ? bytes.removeFirst() : UInt8(ascii: "+")
            let digits = bytes.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
            // An exponent with more digits is out of range anyway.
            let power = Int(String(decoding: digits.prefix(6), as: UTF8.self))
            exponent += (power ?? 0) * (sign == UInt8(ascii: "-") ? -1 : 1)
            if power == nil { isExact = false }
            bytes = bytes.dropFirst(digits.count)
        }
        guard -128...127 ~= exponent else { return nil }
        return isExact && bytes.isEmpty
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

extension DecimalText {
    /// Returns whether two numbers have the same value; unlike with `==`, their exponents may differ.
    package func isEqual(to other: DecimalText) -> Bool { plainDescription == other.plainDescription }

    /// The number without needless zeros.
    private var plainDescription: String {
        if mantissa.isEmpty { return "0" }
        var text = Substring(description)
        if text.contains(".") {
            while text.last == "0" { text.removeLast() }
            if text.last == "." { text.removeLast() }
        }
        return String(text)
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
