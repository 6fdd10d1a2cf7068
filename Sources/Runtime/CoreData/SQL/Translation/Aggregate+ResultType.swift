extension Aggregate {
    /// Returns the type of the result, or `nil` if values of the type cannot be aggregated.
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
