/// The strictness of comparing a model with its released versions. Each level includes the less strict ones.
package enum CompatibilityLevel: String, CaseIterable, Comparable, Sendable {
    /// Every released store can still be opened by a migration of some kind.
    case store
    /// Every released store can be opened by lightweight migration, without a mapping model or code.
    case lightweight
    /// Only additions, as CloudKit's production environment requires.
    case cloudkit

    private var rank: Int {
        switch self {
        case .store: 0
        case .lightweight: 1
        case .cloudkit: 2
        }
    }

    package static func < (lhs: CompatibilityLevel, rhs: CompatibilityLevel) -> Bool { lhs.rank < rhs.rank }
}
