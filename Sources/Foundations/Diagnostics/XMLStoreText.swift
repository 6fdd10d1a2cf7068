/// The escapes in values of Core Data's XML stores (Documentation/Formats/XMLStore.md, 2): `\uXXXX` is a UTF-16 unit
/// with its bytes swapped, so that `\u3c00` is `<`.
package enum XMLStoreText {
    /// Returns a string without escapes. A backslash that begins no escape is kept.
    package static func unescaped(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
        let units = Array(text.utf16)
        var result: [UInt16] = []
        result.reserveCapacity(units.count)
        var index = 0
        while index < units.count {
            if units[index] == 0x5C, index + 5 < units.count, units[index + 1] == UInt16(UInt8(ascii: "u")),
                let unit = hexadecimal(units[index + 2..<index + 6])
            {
                result.append(unit.byteSwapped)
                index += 6
            } else {
                result.append(units[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF16.self)
    }

    private static func hexadecimal(_ digits: ArraySlice<UInt16>) -> UInt16? {
        var value: UInt16 = 0
        for digit in digits {
            guard let scalar = Unicode.Scalar(digit), let number = Character(scalar).hexDigitValue, scalar.isASCII
            else { return nil }
            value = value << 4 | UInt16(number)
        }
        return value
    }

    /// Returns a string with some characters escaped.
    ///
    /// - Parameter isEscaped: Returns whether a character is escaped; must be true of markup, the backslash, and
    ///   characters that XML does not allow.
    package static func escaped(_ text: String, where isEscaped: (Unicode.Scalar) -> Bool) -> String {
        guard text.unicodeScalars.contains(where: isEscaped) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            guard isEscaped(scalar) else {
                result.unicodeScalars.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit.byteSwapped, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return result
    }
}
