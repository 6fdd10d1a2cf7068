internal import Diagnostics
internal import ModelEvolution
internal import ModelMigration
internal import ModelSchema

/// The models as they were when their hashes were locked, in the history of git.
///
/// A lock has one hash for each entity, which does not show what has changed. The commit that added the hash does: the
/// model in it has the hash. Nothing is found without a repository, in a shallow clone, or if the model was never
/// committed.
struct LockHistory {
    private let files: any FileSystem
    private let swift: SwiftReading
    private let lockPath: String
    /// The models that were read, by revision and path; `nil` for those that cannot be read.
    private var sets: [[String]: ModelSet?] = [:]
    /// The changes of versions since a revision, by revision, path and version; `nil` for those that cannot be
    /// compared.
    private var comparisons: [[String]: Comparison?] = [:]
    private var searches = 0

    /// A version as it was, and its changes by the name of the entity now.
    private struct Comparison {
        var old: IndexedModel
        var changes: [String: EntityChange]
    }

    /// The maximum number of hashes that are searched for in the history.
    private static let maximumSearches = 20

    init(files: any FileSystem, swift: SwiftReading, lockPath: String) {
        self.files = files
        self.swift = swift
        self.lockPath = lockPath
    }

    /// Returns how an entity has changed since its hash was locked, or `nil` if that is unknown.
    ///
    /// - Parameters:
    ///   - key: The entity and its version.
    ///   - hash: The hash in the lock.
    ///   - version: The version as it is now.
    ///   - path: The path of the model.
    mutating func change(
        of key: ModelLock.Key, from hash: VersionHash, to version: ModelSet.Version, path: String
    ) -> EntityChange? {
        if let change = change(of: key, from: hash, to: version, path: path, revision: "HEAD") { return change }
        guard searches < Self.maximumSearches else { return nil }
        searches += 1
        guard let commit = try? GitReader(files: files).commit(adding: hash.hexString, to: lockPath) else {
            return nil
        }
        return change(of: key, from: hash, to: version, path: path, revision: commit)
    }

    private mutating func change(
        of key: ModelLock.Key, from hash: VersionHash, to version: ModelSet.Version, path: String, revision: String
    ) -> EntityChange? {
        let id = [revision, path, key.version]
        if comparisons[id] == nil { comparisons[id] = .some(comparison(of: version, path: path, revision: revision)) }
        guard let comparison = comparisons[id] ?? nil, comparison.old.entities[key.entity]?.hash == hash else {
            return nil
        }
        return comparison.changes[key.entity]
    }

    private mutating func comparison(of version: ModelSet.Version, path: String, revision: String) -> Comparison? {
        if sets[[revision, path]] == nil {
            let location = GitReader.Location(revision: revision, ofModel: path)
            sets[[revision, path]] = .some(try? EvolutionReader(files: files, swift: swift).modelSet(location))
        }
        guard let set = sets[[revision, path]] ?? nil,
            let old = try? set.versions.first(where: { $0.name == version.name })?.indexedModel(),
            let new = try? version.indexedModel()
        else { return nil }
        var changes: [String: EntityChange] = [:]
        for change in ModelDifference(from: old, to: new).entities {
            if let name = change.change.newName, changes[name] == nil { changes[name] = change }
        }
        return Comparison(old: old, changes: changes)
    }
}

extension Diagnostic {
    /// Adds what has changed in an entity: the names to the message, and the settings at their locations.
    mutating func describe(_ change: EntityChange, of entity: String, in version: ModelSet.Version) {
        let terms = change.hashTerms.map(DiffPhrases.text)
        guard !terms.isEmpty else { return }
        message +=
            ": " + terms.prefix(5).joined(separator: ", ") + (terms.count > 5 ? " and \(terms.count - 5) more" : "")
        let properties = version.model?.entities.first { $0.name == entity }?.properties ?? []
        for changed in change.properties.prefix(10) {
            let fields = changed.change.fields.filter(\.changesHash).map(DiffPhrases.text)
            let isAdded = changed.change.kind == .added
            guard !fields.isEmpty || isAdded, let name = changed.change.newName,
                let property = properties.first(where: { $0.name == name })
            else { continue }
            let text = isAdded ? "new, \(changed.summary)" : fields.joined(separator: ", ")
            let location = version.diagnostic(for: ModelFinding(.note, rule: rule, "", at: property.origin))
            related.append(
                RelatedLocation("“\(name)”: \(text)", file: location.file ?? version.path, range: location.range))
        }
    }
}
