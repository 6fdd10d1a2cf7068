package import ModelSchema

/// The contents of a `modelc.lock` file: the version hashes that a team has released or is working on.
///
/// The file has one line for each entity of each version, sorted, so that changes to different entities are different
/// lines:
///
/// ```
/// Library.xcdatamodeld<tab>Library 2<tab>Author<tab>released<tab>1f3c…
/// ```
package struct ModelLock: Hashable, Sendable {
    /// The version and entity of a line.
    package struct Key: Hashable, Sendable, Comparable {
        /// The path of the model, relative to the folder of the lock.
        package var model: String
        /// The name of the version.
        package var version: String
        /// The name of the entity.
        package var entity: String

        package init(model: String, version: String, entity: String) {
            self.model = model
            self.version = version
            self.entity = entity
        }

        package static func < (lhs: Key, rhs: Key) -> Bool {
            for (left, right) in [(lhs.model, rhs.model), (lhs.version, rhs.version), (lhs.entity, rhs.entity)]
            where left != right {
                return left.utf8.lexicographicallyPrecedes(right.utf8)
            }
            return false
        }
    }

    /// The contents of a line.
    package struct Entry: Hashable, Sendable {
        /// Whether the version is in use outside the team, so that it must no longer change.
        package var isReleased: Bool
        /// The version hash of the entity.
        package var hash: VersionHash

        package init(isReleased: Bool, hash: VersionHash) {
            self.isReleased = isReleased
            self.hash = hash
        }
    }

    /// The lines by key.
    package var entries: [Key: Entry] = [:]

    /// Creates an empty lock.
    package init() {}

    /// Returns the entity hashes of a version by entity name; empty if the lock does not list the version.
    package func hashes(ofVersion version: String, model: String) -> [String: VersionHash] {
        var result: [String: VersionHash] = [:]
        for (key, entry) in entries where key.model == model && key.version == version {
            result[key.entity] = entry.hash
        }
        return result
    }

    /// Changes the path of a model.
    package mutating func rename(_ model: String, to path: String) {
        for (key, entry) in entries where key.model == model {
            entries[key] = nil
            entries[Key(model: path, version: key.version, entity: key.entity)] = entry
        }
    }

    /// A version of a model.
    package struct Version: Hashable, Sendable {
        /// The path of the model, relative to the folder of the lock.
        package var model: String
        /// The name of the version.
        package var name: String

        package init(model: String, name: String) {
            self.model = model
            self.name = name
        }
    }

    /// Whether each version in the lock is released, for which one released line is enough.
    package var releases: [Version: Bool] {
        var result: [Version: Bool] = [:]
        for (key, entry) in entries {
            let version = Version(model: key.model, name: key.version)
            result[version] = entry.isReleased || result[version] == true
        }
        return result
    }

    /// The versions that have released and draft lines, which no command writes: a merge of text lines makes them.
    package var mixedVersions: Set<Version> {
        let releases = releases
        return Set(
            entries.compactMap { key, entry in
                let version = Version(model: key.model, name: key.version)
                return !entry.isReleased && releases[version] == true ? version : nil
            })
    }

    /// The models that the lock lists, sorted.
    package var models: [String] { Set(entries.keys.map(\.model)).sorted() }

    /// Returns the versions of a model that the lock lists, sorted by name, and whether each is released.
    package func versions(of model: String) -> [(name: String, isReleased: Bool)] {
        releases.filter { $0.key.model == model }
            .sorted { $0.key.name.utf8.lexicographicallyPrecedes($1.key.name.utf8) }.map { ($0.key.name, $0.value) }
    }
}
