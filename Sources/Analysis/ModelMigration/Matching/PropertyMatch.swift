internal import ModelSchema

/// The stored properties of two versions of an entity, paired as migration pairs them: attributes with attributes, and
/// relationships with relationships.
///
/// No documented change converts an attribute to a relationship, so a property of another kind is a new one (Apple,
/// “Using Lightweight Migration”: attributes and relationships are added and removed).
package struct PropertyMatch {
    /// A property in both versions.
    package typealias Pair = ElementMatch<IndexedModel.OwnedProperty>.Pair

    /// The properties that both versions have, attributes first.
    package private(set) var pairs: [Pair] = []
    /// The properties that only the source has.
    package private(set) var removed: [IndexedModel.OwnedProperty] = []
    /// The properties that only the destination has.
    package private(set) var added: [IndexedModel.OwnedProperty] = []
    /// The removed and added properties that would be one if their kinds were equal.
    package private(set) var kindChanges: [Pair] = []

    /// Pairs the properties of an entity in two versions.
    package init(_ old: IndexedModel.IndexedEntity, _ new: IndexedModel.IndexedEntity) {
        let isUnchanged = old.isUnchanged(in: new)
        for list in [\IndexedModel.IndexedEntity.storedAttributes, \.storedRelationships] {
            let match = ElementMatch(sortedSource: old[keyPath: list], destination: new[keyPath: list]) {
                isUnchanged || old.declaresUnchanged($0, as: $1, in: new)
            }
            pairs += match.pairs
            removed += match.removed
            added += match.added
        }
        kindChanges = ElementMatch(source: removed, destination: added).pairs
    }
}
