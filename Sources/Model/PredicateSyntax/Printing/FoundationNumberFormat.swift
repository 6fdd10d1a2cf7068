/// Formats numbers as `NSNumber.description` does: Apple's documentation of `description(withLocale:)` says `%0.16g`
/// for a double. Where 16 digits would change the value, the shortest digits that preserve it are used, as on newer
/// systems.
enum FoundationNumberFormat {
    /// Returns the text of a double. An integer has no decimal point unless `keepsPoint` is set, with which the text
    /// reads back as a real.
    static func string(for value: Double, keepsPoint: Bool) -> String {
        guard value.isFinite else {
            return value.isNaN ? "nan" : value < 0 ? "-inf" : "inf"
        }
        let (digits, exponent) = shortestDigits(value.magnitude)
        let sign = value.sign == .minus ? "-" : ""
        let layout =
            (-4..<16).contains(exponent)
            ? fixed(digits, exponent, keepsPoint: keepsPoint) : scientific(digits, exponent)
        return sign + layout
    }

    /// Returns the shortest digits that represent the value, without zeros at either end, and the power of ten of the
    /// first digit.
    private static func shortestDigits(_ magnitude: Double) -> (digits: [UInt8], exponent: Int) {
        // Swift's description is the shortest, in one of the forms 123.0, 0.0123, 1e+20, 1.5e-07.
        let text = magnitude.description.utf8
        var digits: [UInt8] = []
        var pointPosition: Int?
        var power = 0
        if let mark = text.firstIndex(of: UInt8(ascii: "e")) {
            power = Int(String(decoding: text[text.index(after: mark)...], as: UTF8.self)) ?? 0
        }
        for byte in text {
            if byte == UInt8(ascii: "e") { break }
            if byte == UInt8(ascii: ".") {
                pointPosition = digits.count
            } else {
                digits.append(byte)
            }
        }
        var exponent = (pointPosition ?? digits.count) - 1 + power
        let zero = UInt8(ascii: "0")
        let leadingZeros = digits.prefix { $0 == zero }.count
        digits.removeFirst(leadingZeros)
        exponent -= leadingZeros
        while digits.last == zero { digits.removeLast() }
        return digits.isEmpty ? ([zero], 0) : (digits, exponent)
    }

    private static func fixed(_ digits: [UInt8], _ exponent: Int, keepsPoint: Bool) -> String {
        let zero = UInt8(ascii: "0")
        var text: [UInt8]
        if exponent < 0 {
            text = [zero, UInt8(ascii: ".")] + Array(repeating: zero, count: -exponent - 1) + digits
        } else if digits.count <= exponent + 1 {
            text = digits + Array(repeating: zero, count: exponent + 1 - digits.count)
            if keepsPoint { text += [UInt8(ascii: "."), zero] }
        } else {
            text = Array(digits.prefix(exponent + 1)) + [UInt8(ascii: ".")] + Array(digits.dropFirst(exponent + 1))
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func scientific(_ digits: [UInt8], _ exponent: Int) -> String {
        var text = String(decoding: digits.prefix(1), as: UTF8.self)
        if digits.count > 1 { text += "." + String(decoding: digits.dropFirst(), as: UTF8.self) }
        let power = String(exponent.magnitude)
        return text + (exponent < 0 ? "e-" : "e+") + (power.utf8.count < 2 ? "0" : "") + power
    }
}
