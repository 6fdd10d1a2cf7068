package import ModelMigration
package import ModelSchema

/// A change that keeps stores of a released version from being opened, or data from being kept.
package struct BreakingChange: Hashable, Sendable {
    /// What changed.
    package enum Kind: Hashable, Sendable {
        /// A released version has other hashes than before.
        case editedVersion(entities: [EditedEntity])
        /// A released version is no longer in the model.
        case deletedVersion
        /// The contents of a released version are those of an earlier one.
        case rolledBackVersion(to: String)
        /// The current version is one that was current before.
        case currentWentBack(from: String)
        /// Two versions have the same hashes.
        case equalVersions(other: String)
        /// Lightweight migration cannot make a change.
        case notLightweight(MigrationObstacle)
        /// Migration empties a property that keeps its name.
        case droppedValues(MigrationRisk)
        /// An element was probably renamed without a renaming identifier.
        case renameWithoutIdentifier(old: String, new: String)
        /// The change is not an addition.
        case notAdditive(String)
    }

    /// An entity whose version hash is another one than in the released version.
    package struct EditedEntity: Hashable, Sendable {
        /// Its name.
        package var name: String
        /// Why the hash differs; empty if only the hashes are known, or only one side has the entity.
        package var terms: [HashTerm]
    }

    /// What changed.
    package var kind: Kind
    /// The weakest level that reports it.
    package var level: CompatibilityLevel
    /// The versions concerned: the edited one, or the released ones that are migrated from.
    package var versions: [String]
    /// The entity concerned, or `nil`.
    package var entity: String?
    /// The entity's name in the released version, if it is known and the entity existed.
    package var releasedEntity: String?
    /// The property concerned, or `nil`.
    package var property: String?
    /// The version in which `origin` is a place, or `nil` for the bundle as a whole.
    package var originVersion: String?
    /// The place in the model.
    package var origin: ElementOrigin?
}
