internal import Foundation
internal import ModelSchema

/// Values of the integer types.
struct IntegerValues: ValueGenerator {
    private let range: ClosedRange<Int64>?

    init(_ attribute: Attribute) {
        let limits = attribute.type.integerRange ?? Int64.min...Int64.max
        let low = max(limits.lowerBound, attribute.minimum.flatMap(Self.limit) ?? limits.lowerBound)
        let high = min(limits.upperBound, attribute.maximum.flatMap(Self.limit) ?? limits.upperBound)
        range = low <= high ? low...high : nil
    }

    private static func limit(_ text: String) -> Int64? { text.isEmpty ? nil : NumberText.integer(text) }

    func edges(_ numbers: inout SeededNumbers) -> [Any] {
        guard let range else { return [] }
        var seen: Set<Int64> = []
        return [0, range.lowerBound, range.upperBound, 1, -1, 42, Int64(Int32.max), Int64(Int32.min)]
            .filter { range.contains($0) && seen.insert($0).inserted }.map { Int($0) }
    }

    func random(_ numbers: inout SeededNumbers) -> Any? {
        guard let range else { return nil }
        let (count, overflow) = range.upperBound.subtractingReportingOverflow(range.lowerBound)
        // Apps mostly have small numbers; large ones are among the edge cases.
        let width = overflow ? 99_999 : min(count, 99_999)
        let start = range.contains(0) && range.upperBound >= width ? 0 : range.lowerBound
        return Int(start) + numbers.below(Int(width) + 1)
    }

    func numbered(_ number: Int, _ numbers: inout SeededNumbers) -> Any? {
        guard let range else { return nil }
        let start = range.contains(1) ? 1 : range.lowerBound
        let (value, overflow) = start.addingReportingOverflow(Int64(number))
        if !overflow, range.contains(value) { return Int(value) }
        // The numbers above the start are used up: continue below it.
        let above = range.upperBound &- start &+ 1
        let (below, underflow) = start.subtractingReportingOverflow(Int64(number) &- above &+ 1)
        return !underflow && above > 0 && range.contains(below) ? Int(below) : nil
    }

    func value(of text: String) -> Any? {
        let value = NumberText.integer(text)
        return range?.contains(value) == true ? Int(value) : nil
    }
}

/// Values of the floating point types. NaN and the infinities are left out: SQLite stores NaN as null.
struct RealValues: ValueGenerator {
    private let isFloat: Bool
    private let low: Double
    private let high: Double

    init(_ attribute: Attribute) {
        isFloat = attribute.type == .float
        let largest = isFloat ? Double(Float.greatestFiniteMagnitude) : Double.greatestFiniteMagnitude
        low = attribute.minimum.flatMap(Self.limit) ?? -largest
        high = attribute.maximum.flatMap(Self.limit) ?? largest
    }

    private static func limit(_ text: String) -> Double? { text.isEmpty ? nil : NumberText.real(text) }

    /// Returns the number as the attribute stores it, if it is valid then.
    private func legal(_ value: Double) -> Any? {
        let kept = isFloat ? Double(Float(value)) : value
        guard kept.isFinite, kept >= low, kept <= high else { return nil }
        if isFloat { return Float(value) }
        return value
    }

    func edges(_ numbers: inout SeededNumbers) -> [Any] {
        let tiny = isFloat ? Double(Float.leastNormalMagnitude) : .leastNormalMagnitude
        let small = isFloat ? Double(Float.leastNonzeroMagnitude) : .leastNonzeroMagnitude
        var seen: Set<Double> = []
        return [0, low, high, 1, -1, 0.1, -0.1, tiny, small, .pi, 9_007_199_254_740_992, 1e21, 16_777_217]
            .filter { seen.insert(isFloat ? Double(Float($0)) : $0).inserted }.compactMap(legal)
    }

    func random(_ numbers: inout SeededNumbers) -> Any? {
        let (start, end) = (max(low, -100_000), min(high, 100_000))
        guard start <= end else { return legal(low <= high ? low : .nan) }
        return legal(start + numbers.fraction() * (end - start)) ?? legal(start)
    }

    func numbered(_ number: Int, _ numbers: inout SeededNumbers) -> Any? {
        let start = low <= 0 && high >= 0 ? 0 : low
        if let value = legal(start + Double(number) + 0.5) { return value }
        guard high - low < 2_000_000, high > low else { return nil }
        return legal(low + (high - low) * Double(number) / 1_000_000)
    }

    func value(of text: String) -> Any? { legal(NumberText.real(text)) }
}

/// Values of decimal attributes, with at most 15 digits, the precision of a column.
struct DecimalValues: ValueGenerator {
    private let low: Decimal?
    private let high: Decimal?

    init(_ attribute: Attribute) {
        // Apple's compiler truncates these limits to integers.
        low = attribute.minimum.flatMap { $0.isEmpty ? nil : Decimal(NumberText.integer($0)) }
        high = attribute.maximum.flatMap { $0.isEmpty ? nil : Decimal(NumberText.integer($0)) }
    }

    private func legal(_ value: Decimal) -> NSDecimalNumber? {
        if let low, value < low { return nil }
        if let high, value > high { return nil }
        return NSDecimalNumber(decimal: value)
    }

    func edges(_ numbers: inout SeededNumbers) -> [Any] {
        var seen: Set<Decimal> = []
        let texts = [
            "0", "0.1", "1", "-1", "0.01", "19.99", "123456789.012345", "999999999999999", "-999999999999999",
            "0.000001", "1000000000000000000000",
        ]
        return (texts.compactMap { Decimal(string: $0) } + [low, high].compactMap { $0 })
            .filter { seen.insert($0).inserted }.compactMap(legal)
    }

    func random(_ numbers: inout SeededNumbers) -> Any? {
        let cents = Decimal(numbers.below(10_000_000)) / 100
        if let value = legal(cents) { return value }
        let start = low ?? (high ?? 0) - 1000
        let width = min((high ?? start + 1000) - start, 1_000_000)
        let count = max(0, NSDecimalNumber(decimal: width).intValue)
        return legal(start + Decimal(numbers.below(count + 1)))
    }

    func numbered(_ number: Int, _ numbers: inout SeededNumbers) -> Any? {
        legal((low ?? (high.map { $0 < 0 } == true ? (high ?? 0) - 1_000_000 : 0)) + Decimal(number))
    }

    func value(of text: String) -> Any? { Decimal(string: text).flatMap(legal) }
}

struct BooleanValues: ValueGenerator {
    func edges(_ numbers: inout SeededNumbers) -> [Any] { [false, true] }

    func random(_ numbers: inout SeededNumbers) -> Any? { numbers.chance(2) }

    func numbered(_ number: Int, _ numbers: inout SeededNumbers) -> Any? {
        number < 2 ? number == 1 : nil
    }

    func value(of text: String) -> Any? {
        NumberText.boolean(text)
    }
}

struct DateValues: ValueGenerator {
    private let low: Double
    private let high: Double
    /// Foundation's `distantPast` and `distantFuture`, which formatters support.
    private static let (past, future) = (-63_114_076_800.0, 63_113_904_000.0)

    init(_ attribute: Attribute) {
        low = attribute.minimumDateInterval.flatMap { $0.isEmpty ? nil : NumberText.real($0) } ?? Self.past
        high = attribute.maximumDateInterval.flatMap { $0.isEmpty ? nil : NumberText.real($0) } ?? Self.future
    }

    private func legal(_ seconds: Double) -> Date? {
        seconds >= low && seconds <= high ? Date(timeIntervalSinceReferenceDate: seconds) : nil
    }

    func edges(_ numbers: inout SeededNumbers) -> [Any] {
        var seen: Set<Double> = []
        // The reference date, 1970, the leap day of 2000, the last second before 2001, the end of 32-bit time.
        let moments = [0, low, high, -978_307_200, -26_611_200, -1, 0.001, 1_169_176_447, 725_846_400.123]
        return moments.filter { seen.insert($0).inserted }.compactMap(legal)
    }

    func random(_ numbers: inout SeededNumbers) -> Any? {
        let (start, end) = (max(low, 0), min(high, 800_000_000))
        guard start <= end else { return legal(low) }
        return legal((start + numbers.fraction() * (end - start)).rounded(.down)) ?? legal(start)
    }

    func numbered(_ number: Int, _ numbers: inout SeededNumbers) -> Any? {
        legal((low <= 0 && high >= 0 ? 0 : low) + Double(number))
    }

    func value(of text: String) -> Any? { legal(NumberText.real(text)) }
}
