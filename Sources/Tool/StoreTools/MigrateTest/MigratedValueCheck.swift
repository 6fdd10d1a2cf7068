/// Distinguishes lost values from changes that the rules of migration require.
struct MigratedValueCheck {
    private let entities: [String: [String: VersionNames.PropertyPair]]

    init(_ names: VersionNames) {
        entities = Dictionary(
            names.entities.map { entity in
                (entity.old, Dictionary(entity.properties.map { ($0.old, $0) }) { first, _ in first })
            }
        ) { first, _ in first }
    }

    /// Returns the problems of an object; empty if all differences are expected.
    func reasons(_ change: StoreDifference.ObjectChange) -> [String] {
        switch change.kind {
        case .added: return ["\(change.key) is in the migrated store only"]
        case .removed:
            // The objects of a removed entity are removed.
            return entities[change.entity] == nil ? [] : ["\(change.key) is lost"]
        case .changed:
            return change.values.filter { !isAllowed($0, change.entity) }.map {
                "\(change.key).\($0.property): \($0.old) → \($0.new)"
            }
        }
    }

    private func isAllowed(_ value: StoreDifference.ValueChange, _ entity: String) -> Bool {
        guard let pair = entities[entity]?[value.property] else { return false }
        if pair.fillsNil, value.old == "nil" { return value.new != "nil" }
        guard pair.isConverted, let old = Double(value.old), let new = Double(value.new) else { return false }
        // Fractions are truncated, and large numbers are rounded to the precision of a floating point number.
        return abs(old - new) < 1 || abs(old - new) <= abs(old) * 1e-6
    }
}
