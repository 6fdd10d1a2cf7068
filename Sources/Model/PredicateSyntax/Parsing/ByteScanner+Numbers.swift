// Apple documents decimal and scientific notation, `0x` hexadecimal, `0o` octal and `0b` binary numbers
// ("Predicate Format String Syntax", Literals).
extension ByteScanner {
    /// Returns whether a number starts at an offset.
    func isNumber(at offset: Int) -> Bool {
        guard let byte = byte(at: offset) else { return false }
        return digitValue(byte) < 10 || (byte == UInt8(ascii: ".") && isDigit(at: offset + 1))
    }

    /// Reads the number at the position, and negates it if requested. Decimal integers beyond 64 bits become reals.
    mutating func number(negative: Bool) throws(PredicateSyntaxError) -> Constant {
        let start = position
        let value: Constant
        if current == UInt8(ascii: "0"), let radix = radix(of: byte(at: position + 1)) {
            position += 2
            value = try radixInteger(radix, start: start, negative: negative)
        } else {
            value = try decimal(start: start, negative: negative)
        }
        let end = identifierEnd(from: position)
        if end > position || isDigit(at: position) {
            throw error("`\(text(start..<max(end, position + 1)))` is not a number", at: start..<max(end, position + 1))
        }
        return value
    }

    private func isDigit(at offset: Int) -> Bool {
        byte(at: offset).map { digitValue($0) < 10 } ?? false
    }

    private func radix(of letter: UInt8?) -> UInt64? {
        switch letter {
        case UInt8(ascii: "x"), UInt8(ascii: "X"): 16
        case UInt8(ascii: "o"), UInt8(ascii: "O"): 8
        case UInt8(ascii: "b"), UInt8(ascii: "B"): 2
        default: nil
        }
    }

    /// Returns the value of a digit in any radix; 255 for every other byte.
    func digitValue(_ byte: UInt8) -> UInt64 {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a")) + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A")) + 10
        default: 255
        }
    }

    private mutating func radixInteger(
        _ radix: UInt64, start: Int, negative: Bool
    ) throws(PredicateSyntaxError) -> Constant {
        let digits = position
        var magnitude: UInt64 = 0
        var overflow = false
        while let byte = current, digitValue(byte) < radix {
            let product = magnitude.multipliedReportingOverflow(by: radix)
            let sum = product.partialValue.addingReportingOverflow(digitValue(byte))
            overflow = overflow || product.overflow || sum.overflow
            magnitude = sum.partialValue
            position += 1
        }
        guard position > digits else {
            throw unexpected(at: position, expected: ["digits of base \(radix)"])
        }
        // A double would lose bits, which matter in such a literal.
        guard !overflow, let value = integer(magnitude, negative: negative) else {
            throw error("`\(text(start..<position))` does not fit in 64 bits", at: start..<position)
        }
        return .integer(value)
    }

    private mutating func decimal(start: Int, negative: Bool) throws(PredicateSyntaxError) -> Constant {
        var isWhole = true
        skipDigits()
        if current == UInt8(ascii: "."), isDigit(at: position + 1) {
            isWhole = false
            position += 1
            skipDigits()
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            var exponent = position + 1
            if byte(at: exponent) == UInt8(ascii: "+") || byte(at: exponent) == UInt8(ascii: "-") {
                exponent += 1
            }
            if isDigit(at: exponent) {
                isWhole = false
                position = exponent
                skipDigits()
            }
        }
        let digits = text(start..<position)
        if isWhole, let magnitude = UInt64(digits), let value = integer(magnitude, negative: negative) {
            return .integer(value)
        }
        guard let value = Double(digits), value.isFinite else {
            throw error("`\(digits)` is too large", at: start..<position)
        }
        return .real(negative ? -value : value)
    }

    private mutating func skipDigits() {
        while isDigit(at: position) {
            position += 1
        }
    }

    private func integer(_ magnitude: UInt64, negative: Bool) -> Int64? {
        // The negation happens in unsigned arithmetic, as the smallest Int64 has no positive counterpart.
        guard negative else { return Int64(exactly: magnitude) }
        guard magnitude <= Int64.min.magnitude else { return nil }
        return Int64(bitPattern: 0 &- magnitude)
    }
}
