/// Parses numbers as Foundation's `NSString` does: from the start of a text, ignoring the rest.
package enum NumberText {
    /// Returns a number without a needless fraction, as Xcode writes seconds and counts.
    package static func text(of value: Double) -> String {
        Int64(exactly: value).map { String($0) } ?? value.description
    }

    /// Returns the `integerValue`: the integer at the start, clamped to 64 bits; 0 if there is none.
    package static func integer(_ text: String) -> Int64 { parseInteger(text).value }

    /// Returns the `doubleValue`: the number at the start; 0 if there is none.
    package static func real(_ text: String) -> Double { parseReal(text).value }

    /// Returns the `boolValue`: true if a Y, T or digit follows any spaces, sign and zeros.
    package static func boolean(_ text: String) -> Bool { parseBoolean(text).value }

    /// Returns the integer at the start of a text, and whether the text is exactly that number: nothing precedes it, at
    /// most a fraction of zeros follows, as in defaults of old models, and it fits in 64 bits.
    package static func parseInteger(_ text: String) -> (value: Int64, isExact: Bool) {
        let characters = withoutLeadingSpace(text)
        var digits = characters
        let isNegative = digits.first == "-"
        if isNegative || digits.first == "+" { digits.removeFirst() }
        let number = digits.prefix { "0"..."9" ~= $0 }
        guard !number.isEmpty else { return (0, false) }
        guard let value = Int64((isNegative ? "-" : "") + String(number)) else {
            return (isNegative ? .min : .max, false)
        }
        let rest = text[number.endIndex...]
        let isInteger = rest.isEmpty || (rest.first == "." && rest.dropFirst().allSatisfy { $0 == "0" })
        return (value, isInteger && characters.startIndex == text.startIndex)
    }

    /// Returns the number at the start of a text, and whether the text is exactly that number, which is finite.
    package static func parseReal(_ text: String) -> (value: Double, isExact: Bool) {
        let characters = Array(withoutLeadingSpace(text).utf8)
        var end = 0
        func skipDigits() -> Bool {
            let start = end
            while end < characters.count, 0x30...0x39 ~= characters[end] { end += 1 }
            return end > start
        }
        func skip(_ allowed: String) -> Bool {
            guard end < characters.count, allowed.utf8.contains(characters[end]) else { return false }
            end += 1
            return true
        }
        _ = skip("+-")
        var hasDigits = skipDigits()
        if skip(".") { hasDigits = skipDigits() || hasDigits }
        guard hasDigits else { return (0, false) }
        let mantissaEnd = end
        if skip("eE") {
            _ = skip("+-")
            if !skipDigits() { end = mantissaEnd }
        }
        // The standard library rejects a trailing decimal point.
        let number = String(decoding: characters[..<end], as: UTF8.self)
        let value = Double(number) ?? Double(number + "0") ?? 0
        return (value, end == text.utf8.count && value.isFinite)
    }

    /// Returns the Boolean at the start of a text, and whether the text is a word or digit for that value.
    package static func parseBoolean(_ text: String) -> (value: Bool, isExact: Bool) {
        let word = text.lowercased()
        if ["yes", "true", "y", "t", "1"].contains(word) { return (true, true) }
        if ["no", "false", "n", "f", "0"].contains(word) { return (false, true) }
        return (boolean(startOf: text), false)
    }

    private static func boolean(startOf text: String) -> Bool {
        var characters = withoutLeadingSpace(text)
        if characters.first == "-" || characters.first == "+" { characters.removeFirst() }
        guard let first = characters.first(where: { $0 != "0" }) else { return false }
        return "YyTt".contains(first) || "1"..."9" ~= first
    }

    private static func withoutLeadingSpace(_ text: String) -> Substring {
        text.drop { $0 == " " || $0 == "\t" || $0 == "\n" }
    }
}
