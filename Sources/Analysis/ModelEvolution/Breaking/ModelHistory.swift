package import ModelMigration
package import ModelSchema

/// A state of a model with its versions, for comparison by `BreakingCheck`.
package struct ModelHistory: Sendable {
    /// One version.
    package struct Version: Sendable {
        /// Its name without extension.
        package var name: String
        package var hashes: EntityVersionHashes
        /// The model, or `nil` if only the hashes are known, as in a lock.
        package var model: IndexedModel?

        package init(name: String, hashes: EntityVersionHashes, model: IndexedModel?) {
            self.name = name
            self.hashes = hashes
            self.model = model
        }
    }

    /// The versions, in the order of their release if known.
    package var versions: [Version]
    /// The name of the current version, or `nil` if unknown.
    package var currentName: String?

    package init(versions: [Version], currentName: String?) {
        self.versions = versions
        self.currentName = currentName
    }

    /// The current version, or the only one.
    package var current: Version? {
        if let currentName { return versions.first { $0.name == currentName } }
        return versions.count == 1 ? versions.first : nil
    }

    package func version(named name: String) -> Version? { versions.first { $0.name == name } }
}
