internal import Foundation

/// The statistics computed by collection operators and functions.
enum Statistics {
    /// Returns the sum: an integer for integers if it fits, a decimal for decimals, otherwise a `Double`. `nil` counts
    /// as zero, as Apple documents for `@sum`, and a text as the number that it begins with, as in SQLite and
    /// `NSString.doubleValue`.
    static func sum(_ values: [PredicateValue]) -> PredicateValue {
        var whole: Int64 = 0
        for (index, value) in values.enumerated() {
            switch value {
            case .null: continue
            case .boolean, .integer:
                let (result, overflow) = whole.addingReportingOverflow(value.wholeNumber)
                if overflow { return realSum(values[index...], from: Double(whole)) }
                whole = result
            default: return mixedSum(values[index...], from: whole)
            }
        }
        return .integer(whole)
    }

    private static func mixedSum(_ values: ArraySlice<PredicateValue>, from start: Int64) -> PredicateValue {
        let containsReal = values.contains {
            switch $0 {
            case .real, .string: true
            default: false
            }
        }
        if containsReal { return realSum(values, from: Double(start)) }
        return PredicateValue(
            values.reduce(Decimal(start)) { sum, value in
                value.isNull ? sum : sum + value.decimalNumber.decimalValue
            })
    }

    private static func realSum(_ values: ArraySlice<PredicateValue>, from start: Double) -> PredicateValue {
        .real(values.reduce(start) { $0 + real($1) })
    }

    private static func real(_ value: PredicateValue) -> Double {
        switch value {
        case .null: 0
        case .string(let text): NSString(string: text).doubleValue
        default: value.doubleNumber
        }
    }

    /// Returns the average, counting `nil` as zero, or `nil` if there are no values.
    static func average(_ values: [PredicateValue]) -> PredicateValue? {
        guard !values.isEmpty else { return nil }
        switch sum(values) {
        case .decimal(let sum): return PredicateValue(sum.decimalValue / Decimal(values.count))
        case let sum: return .real(sum.doubleNumber / Double(values.count))
        }
    }

    /// Returns the first (`ascending`) or last value in order, of any kind, ignoring `nil`.
    static func extreme(_ values: [PredicateValue], _ requested: ComparisonResult) -> PredicateValue {
        var best: PredicateValue = .null
        for value in values where !value.isNull {
            guard let order = value.order(best) else {
                best = value
                continue
            }
            switch (order, requested) {
            case (.ascending, .orderedAscending), (.descending, .orderedDescending): best = value
            default: break
            }
        }
        return best
    }

    /// Returns the middle number, or the average of the two middle ones.
    static func median(_ values: [PredicateValue]) -> PredicateValue {
        let sorted = values.filter { !$0.isNull }.sorted { $0.order($1) == .ascending }
        guard !sorted.isEmpty else { return .null }
        let middle = sorted.count / 2
        if sorted.count % 2 == 1 { return sorted[middle] }
        return average([sorted[middle - 1], sorted[middle]]) ?? .null
    }

    /// Returns the numbers that occur most often, in the order of their first occurrence.
    static func mode(_ values: [PredicateValue]) -> [PredicateValue] {
        let present = values.filter { !$0.isNull }.sorted { $0.order($1) == .ascending }
        var modes: [PredicateValue] = []
        var most = 0
        var index = 0
        while index < present.count {
            var end = index + 1
            while end < present.count, present[end].equals(present[index]) { end += 1 }
            if end - index > most {
                most = end - index
                modes = []
            }
            if end - index == most { modes.append(present[index]) }
            index = end
        }
        return modes
    }

    /// Returns the standard deviation of the values as a whole population.
    static func standardDeviation(_ values: [PredicateValue]) -> PredicateValue {
        let numbers = values.filter { !$0.isNull }.map(\.doubleNumber)
        guard !numbers.isEmpty else { return .null }
        let mean = numbers.reduce(0, +) / Double(numbers.count)
        let variance = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(numbers.count)
        return .real(variance.squareRoot())
    }
}
