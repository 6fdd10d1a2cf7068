/// An aggregate of values.
package enum Aggregate {
    case sum
    case average
    case minimum
    case maximum

    /// Creates the aggregate of a predefined function.
    init?(selector: String) {
        switch selector {
        case "sum:": self = .sum
        case "average:": self = .average
        case "min:": self = .minimum
        case "max:": self = .maximum
        default: return nil
        }
    }

    /// Whether duplicate values do not affect the result.
    var isOfDistinctValues: Bool { self == .minimum || self == .maximum }
}
