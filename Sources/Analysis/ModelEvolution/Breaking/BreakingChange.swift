package import ModelMigration
package import ModelSchema

/// A change that prevents stores of a released version from being opened, or their data from being kept.
package struct BreakingChange: Hashable, Sendable {
    /// The kind of change.
    package enum Kind: Hashable, Sendable {
        /// The hashes of a released version have changed.
        case editedVersion(entities: [EditedEntity])
        /// A released version is no longer in the model.
        case deletedVersion
        /// The contents of a released version are those of an earlier one.
        case rolledBackVersion(to: String)
        /// The current version is one that was current earlier.
        case currentWentBack(from: String)
        /// Two versions have the same hashes.
        case equalVersions(other: String)
        /// Lightweight migration does not support the change.
        case notLightweight(MigrationObstacle)
        /// Migration empties a property that keeps its name.
        case droppedValues(MigrationRisk)
        /// An element was probably renamed without a renaming identifier.
        case renameWithoutIdentifier(old: String, new: String)
        /// The change is not an addition.
        case notAdditive(String)
    }

    /// An entity whose version hash differs from that in the released version.
    package struct EditedEntity: Hashable, Sendable {
        package var name: String
        /// The reasons why the hash differs; empty if only the hashes are known, or if only one side has the entity.
        package var terms: [HashTerm]
    }

    /// The kind of change.
    package var kind: Kind
    /// The least strict level that reports it.
    package var level: CompatibilityLevel
    /// The affected versions: the edited one, or the released ones to migrate from.
    package var versions: [String]
    /// The affected entity, or `nil`.
    package var entity: String?
    /// The entity's name in the released version, if it is known and the entity existed.
    package var releasedEntity: String?
    /// The affected property, or `nil`.
    package var property: String?
    /// The version that `origin` refers to, or `nil` for the bundle as a whole.
    package var originVersion: String?
    /// The location in the model.
    package var origin: ElementOrigin?
}
