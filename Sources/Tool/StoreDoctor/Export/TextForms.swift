internal import Diagnostics
internal import Foundation
internal import ModelSchema

/// The text of values, appended as bytes.
extension [UInt8] {
    mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { append(contentsOf: $0) }
    }

    mutating func append(text: String) { append(contentsOf: text.utf8) }

    mutating func append(number: Int64) {
        guard number < 0 || number > 9 else { return append(UInt8(truncatingIfNeeded: number) + 0x30) }
        if number < 0 { append(0x2D) }
        append(digits: number.magnitude)
    }

    private mutating func append(digits magnitude: UInt64) {
        // The digits come out from the last to the first; UInt64 has at most 20.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var rest = magnitude
            var start = digits.count
            repeat {
                start -= 1
                digits[start] = UInt8(truncatingIfNeeded: rest % 10) + 0x30
                rest /= 10
            } while rest > 0
            append(contentsOf: digits[start...])
        }
    }

    /// Appends a number with leading zeros.
    mutating func append(_ number: Int, width: Int) {
        var scale = 1
        for _ in 1..<width { scale *= 10 }
        while scale > 0 {
            append(UInt8(truncatingIfNeeded: number / scale % 10) + 0x30)
            scale /= 10
        }
    }

    // MARK: Bytes

    mutating func append(base64 bytes: UnsafeRawBufferPointer) { Base64.append(bytes, to: &self) }

    mutating func append(hex bytes: UnsafeRawBufferPointer) {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }
        for byte in bytes {
            append(digit(byte >> 4))
            append(digit(byte & 15))
        }
    }

    /// Appends a UUID in upper case.
    mutating func append(uuid bytes: UnsafeRawBufferPointer) {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }
        for (index, byte) in bytes.enumerated() {
            if index == 4 || index == 6 || index == 8 || index == 10 { append(0x2D) }
            append(digit(byte >> 4))
            append(digit(byte & 15))
        }
    }

    // MARK: JSON

    /// Appends a JSON string. The bytes must be UTF-8.
    mutating func append(json bytes: UnsafeRawBufferPointer) {
        append(0x22)
        let plain = PlainText.prefix(of: bytes)
        if plain == bytes.count {
            append(contentsOf: bytes)
            return append(0x22)
        }
        var start = 0
        for index in plain..<bytes.count {
            let byte = bytes[index]
            guard byte < 0x20 || byte == 0x22 || byte == 0x5C else { continue }
            append(contentsOf: bytes[start..<index])
            start = index + 1
            append(0x5C)
            switch byte {
            case 0x22, 0x5C: append(byte)
            case 0x0A: append(0x6E)
            case 0x0D: append(0x72)
            case 0x09: append(0x74)
            default:
                append("u00")
                append(byte < 0x10 ? 0x30 : 0x31)
                append(byte & 15 < 10 ? 0x30 + (byte & 15) : 0x57 + (byte & 15))
            }
        }
        append(contentsOf: bytes[start..<bytes.count])
        append(0x22)
    }

    mutating func append(json text: String) {
        var text = text
        text.withUTF8 { append(json: UnsafeRawBufferPointer($0)) }
    }

    /// Appends a finite number, or infinity as text.
    mutating func append(json number: Double) {
        guard number.isFinite else { return append(text: number < 0 ? "\"-Infinity\"" : "\"Infinity\"") }
        append(text: "\(number)")
    }
}

/// The text of values in exports, for other programs that write the same formats.
package enum ExportedText {
    /// Returns a text as a field of comma-separated values: in quotes if necessary, as an empty text is, which differs
    /// from no value.
    package static func csv(_ text: String) -> String {
        var bytes: [UInt8] = []
        CSVRowWriter.append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    package static func json(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.append(json: text)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns whether spreadsheets take a text for a formula.
    package static func isFormula(_ text: String) -> Bool { text.utf8.first.map(startsFormula) ?? false }

    /// Returns whether a text that starts with a byte is a formula in spreadsheets.
    static func startsFormula(_ byte: UInt8) -> Bool { "=+-@\t\r".utf8.contains(byte) }
}

/// Text that most formats write as it is. Eight bytes are looked at together, which matters most without optimization.
enum PlainText {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Returns the number of bytes before the first one that is a control character, a quotation mark, a backslash or
    /// not ASCII.
    static func prefix(of bytes: UnsafeRawBufferPointer) -> Int {
        var index = 0
        while index + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let quotes = word ^ (ones &* 0x22)
            let backslashes = word ^ (ones &* 0x5C)
            // Each term has a high bit if a byte of the word is less than 0x20, zero, zero, or not ASCII.
            let found = (word &- ones &* 0x20) | (quotes &- ones) | (backslashes &- ones) | word
            if found & highBits != 0 { break }
            index += 8
        }
        while index < bytes.count {
            let byte = bytes[index]
            if byte < 0x20 || byte == 0x22 || byte == 0x5C || byte >= 0x80 { break }
            index += 1
        }
        return index
    }

    /// Returns whether bytes are UTF-8.
    static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index + 8 <= bytes.count {
            if bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & highBits != 0 { break }
            index += 8
        }
        while index < bytes.count, bytes[index] < 0x80 { index += 1 }
        return index == bytes.count
            || String(validUTF8: UnsafeRawBufferPointer(rebasing: bytes[index...])) != nil
    }
}

/// The text of numbers.
enum ExportedNumber {
    /// Returns the shortest text that reads back as the same number, as a `Float` if it is one.
    static func text(float number: Double) -> String {
        let float = Float(number)
        return Double(float) == number ? "\(float)" : "\(number)"
    }

    /// Returns the decimal number that a real number stands for, without an exponent.
    ///
    /// Core Data rounds decimal numbers to 15 digits; more are written only if the stored number has them.
    static func text(decimal number: Double) -> String {
        let exact = "\(number)"
        // Most have few digits and no exponent.
        if exact.utf8.count <= 16, !exact.utf8.contains(UInt8(ascii: "e")) {
            if exact == "-0.0" { return "0" }
            return exact.utf8.suffix(2).elementsEqual(".0".utf8) ? String(exact.dropLast(2)) : exact
        }
        let digits = rounded(number)
        return plain(Double(digits) == number ? digits : exact)
    }

    private static func rounded(_ number: Double) -> String {
        let exact = "\(number)"
        let count = exact.utf8.prefix { $0 != UInt8(ascii: "e") }.count { (0x30...0x39).contains($0) }
        guard count > 15 else { return exact }
        return String(format: "%.15g", number)
    }

    /// Returns a number without an exponent and without a fraction of zeros.
    static func plain(_ text: String) -> String {
        let parts = text.split(separator: "e", maxSplits: 1)
        guard let mantissa = parts.first else { return text }
        let isNegative = mantissa.hasPrefix("-")
        let halves = mantissa.drop { $0 == "-" }.split(separator: ".", omittingEmptySubsequences: false)
        var whole = String(halves.first ?? "0")
        var fraction = halves.count > 1 ? String(halves[1]) : ""
        if parts.count > 1, let exponent = Int(parts[1]), abs(exponent) < 1000 {
            if exponent > 0 {
                fraction += String(repeating: "0", count: Swift.max(0, exponent - fraction.count))
                whole += fraction.prefix(exponent)
                fraction = String(fraction.dropFirst(exponent))
            } else {
                whole = String(repeating: "0", count: Swift.max(0, -exponent - whole.count + 1)) + whole
                fraction = whole.suffix(-exponent) + fraction
                whole = String(whole.dropLast(-exponent))
            }
        }
        while fraction.hasSuffix("0") { fraction.removeLast() }
        whole = String(whole.drop { $0 == "0" })
        if whole.isEmpty { whole = "0" }
        let digits = fraction.isEmpty ? whole : "\(whole).\(fraction)"
        return isNegative && digits != "0" ? "-\(digits)" : digits
    }
}
