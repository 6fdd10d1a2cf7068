/// The strictness of comparing a model with its released versions. Each level includes the less strict ones.
package enum CompatibilityLevel: String, CaseIterable, Comparable, Sendable {
    /// Every released store belongs to a version that the model still has.
    case store
    /// Every released store can be migrated by lightweight migration or with a mapping model.
    case migratable
    /// Every released store can be opened by lightweight migration, without a mapping model or code.
    case lightweight
    /// Only additions, as CloudKit's production environment requires.
    case cloudkit

    private var rank: Int {
        switch self {
        case .store: 0
        case .migratable: 1
        case .lightweight: 2
        case .cloudkit: 3
        }
    }

    package static func < (lhs: CompatibilityLevel, rhs: CompatibilityLevel) -> Bool { lhs.rank < rhs.rank }
}
