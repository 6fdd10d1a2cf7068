/// The text of values in an XML store of Core Data (Documentation/Formats/XMLStore.md, 2).
enum StoreText {
    /// Returns a string without escapes: `\uXXXX` is a UTF-16 unit with its bytes swapped, so that `\u3c00` is `<`.
    static func unescaped(_ text: String) -> String {
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

    /// Returns a string with backslashes and everything that XML text cannot contain escaped.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<", ">", "&", "\\", "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}":
                for unit in String(scalar).utf16 {
                    let digits = String(unit.byteSwapped, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

}
