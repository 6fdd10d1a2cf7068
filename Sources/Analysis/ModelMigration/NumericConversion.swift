internal import ModelSchema

/// The conversion of a number whose type changed, in a lightweight migration.
enum NumericConversion: Hashable {
    /// All values fit.
    case exact
    /// Large or fractional values may not fit.
    case narrowing
    /// A conversion that has not been observed.
    case unproven

    /// Returns the conversion between two types, or `nil`.
    ///
    /// The evidence: Apple documents “numerical type conversion” (WWDC 2010, session 118) without naming the types.
    /// Shipped apps whose tests migrate such stores without a mapping model show Integer 16 to 64, Integer 64 to
    /// Double, and Boolean to Integer. Conversions among the other integer and floating-point types are assumed to be
    /// the same. No observation shows a Decimal, a number that becomes a Boolean, or a Boolean that becomes a
    /// floating-point number.
    init?(from old: AttributeType, to new: AttributeType) {
        if old == .boolean, [.integer16, .integer32, .integer64].contains(new) {
            self = .exact
            return
        }
        guard let before = Self.rank[old], let after = Self.rank[new] else {
            let numbers = Set(Self.rank.keys).union([.decimal, .boolean])
            guard numbers.contains(old), numbers.contains(new) else { return nil }
            self = .unproven
            return
        }
        let isExact = before <= after && !Self.losesDigits(old, new)
        self = isExact ? .exact : .narrowing
    }

    /// Returns whether a floating-point type has fewer digits than an integer type.
    private static func losesDigits(_ old: AttributeType, _ new: AttributeType) -> Bool {
        new == .float && (old == .integer32 || old == .integer64) || new == .double && old == .integer64
    }

    /// Integers by size, then floating point.
    private static let rank: [AttributeType: Int] = [
        .integer16: 0, .integer32: 1, .integer64: 2, .float: 3, .double: 4,
    ]
}
