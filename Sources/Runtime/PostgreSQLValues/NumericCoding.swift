import Foundation

/// The binary form of `numeric`: base-10000 digits with a weight, a sign and a number of decimal places.
enum NumericCoding {
    private static let negative: UInt16 = 0x4000
    private static let notANumber: UInt16 = 0xC000

    /// Writes a number exactly: every `Decimal` is a `numeric`.
    static func write(_ value: Decimal, to writer: inout BinaryWriter) {
        guard !value.isNaN else {
            for field: UInt16 in [0, 0, notANumber, 0] { writer.writeInteger(field) }
            return
        }
        let text = NSDecimalNumber(decimal: value.magnitude).description(withLocale: nil)
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        var whole = Array((parts.first ?? "0").utf8.drop { $0 == UInt8(ascii: "0") })
        var fraction = parts.count > 1 ? Array(parts[1].utf8) : []
        let scale = fraction.count
        whole.insert(contentsOf: repeatElement(UInt8(ascii: "0"), count: (4 - whole.count % 4) % 4), at: 0)
        fraction.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: (4 - fraction.count % 4) % 4))
        let digits = whole + fraction
        var groups = stride(from: 0, to: digits.count, by: 4).map { start in
            digits[start..<start + 4].reduce(UInt16(0)) { $0 * 10 + UInt16($1 - UInt8(ascii: "0")) }
        }
        var weight = whole.count / 4 - 1
        while groups.first == 0 {
            groups.removeFirst()
            weight -= 1
        }
        while groups.last == 0 { groups.removeLast() }
        writer.writeInteger(UInt16(groups.count))
        writer.writeInteger(Int16(groups.isEmpty ? 0 : weight))
        writer.writeInteger(value.isSignMinus ? negative : 0)
        writer.writeInteger(UInt16(scale))
        for group in groups { writer.writeInteger(group) }
    }

    /// Returns the number, rounded to the 38 digits of `Decimal`, or `nil` for bytes that are not a `numeric`.
    ///
    /// Infinities, and numbers outside the range of `Decimal`, are converted to NaN.
    static func decimal(_ raw: UnsafeRawBufferPointer) -> Decimal? {
        guard raw.count >= 8 else { return nil }
        func field(_ index: Int) -> UInt16 { UInt16(raw[2 * index]) << 8 | UInt16(raw[2 * index + 1]) }
        let count = Int(field(0))
        let weight = Int(Int16(bitPattern: field(1)))
        let sign = field(2)
        guard raw.count == 8 + 2 * count, sign == 0 || sign >= negative else { return nil }
        guard sign == 0 || sign == negative else { return Decimal.nan }
        let isNegative = sign == negative
        if count <= 4 {
            var significand: UInt64 = 0
            for index in 0..<count {
                guard field(4 + index) < 10_000 else { return nil }
                significand = significand * 10_000 + UInt64(field(4 + index))
            }
            if significand == 0 { return 0 }
            let exponent = 4 * (weight - count + 1)
            if (-112...96).contains(exponent) {
                return Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: Decimal(significand))
            }
        }
        var text = isNegative ? "-" : ""
        for index in 0..<count {
            guard field(4 + index) < 10_000 else { return nil }
            let group = String(field(4 + index))
            text += String(repeating: "0", count: 4 - group.count) + group
        }
        return Decimal(string: text + "e\(4 * (weight - count + 1))", locale: Locale(identifier: "en_US_POSIX")) ?? .nan
    }
}
