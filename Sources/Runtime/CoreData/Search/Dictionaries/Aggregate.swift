/// An aggregate of values.
enum Aggregate {
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

    /// Returns the type of the result, or nil if values of the type cannot be aggregated.
    func resultType(of type: SQLType) -> SQLType? {
        switch self {
        case .minimum, .maximum: return type
        case .sum:
            switch type {
            case .boolean, .integer, .number: return .number
            case .real, .decimal: return type
            case .date, .string, .uuid, .data, .uri: return nil
            }
        case .average:
            switch type {
            case .boolean, .integer, .number, .real: return .real
            case .decimal: return .decimal
            case .date, .string, .uuid, .data, .uri: return nil
            }
        }
    }
}
