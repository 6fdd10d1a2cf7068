internal import Diagnostics
internal import ModelEvolution
internal import ModelMigration
internal import ModelSchema

/// The models whose hashes a lock keeps, as they are on disk.
struct LockedModels {
    struct Entry {
        /// The path as the lock names it: relative to the lock's folder.
        var name: String
        var set: ModelSet
    }

    /// A model that is elsewhere than the lock says.
    struct Move {
        var path: String
        var newPath: String
    }

    private(set) var entries: [Entry] = []
    /// The findings from reading the models.
    private(set) var diagnostics: [Diagnostic] = []
    /// Whether these are all models below the working directory that are searched for.
    let isWhole: Bool
    /// Whether a path is searched.
    private let isSearched: (String) -> Bool

    /// Finds and reads the models at and below paths.
    ///
    /// - Parameter lockedNames: The models in the lock. Swift sources among them are read if the paths are the working
    ///   directory: only the lock says which folder belongs to one SwiftData schema.
    init(
        paths: [String], lockPath: String, lockedNames: Set<String>, swift: SwiftReading, files: any FileSystem
    ) throws(InputFailure) {
        isWhole = files.isWorkingDirectory(paths)
        let folder = PathName.parent(of: lockPath)
        isSearched = { name in
            let path = files.relativePath(folder.isEmpty ? name : PathName.joined(folder, name), from: ".") ?? name
            return !path.hasPrefix("../") && swift.isIncluded(path)
        }
        let reader = ModelSetReader(files: files, swift: swift)
        if swift.target != nil || !swift.otherPaths.isEmpty, let path = paths.first {
            let set = try reader.read(path)
            diagnostics = set.diagnostics.filter { $0.severity > .note }
            entries = [Entry(name: Self.name(of: path, lockPath: lockPath, files), set: set)]
            return
        }
        var sources: [String] = []
        if isWhole {
            sources = lockedNames.sorted().map { folder.isEmpty ? $0 : PathName.joined(folder, $0) }
                .filter(reader.namesSwiftSources)
        }
        var finder = ModelFinder(files: files) { swift.isIncluded($0) }
        finder.findsSwiftSources = sources.isEmpty
        var found = try finder.find(paths)
        found.paths += sources
        diagnostics = found.problems
        for path in found.paths {
            let set = try found.read(path, reader)
            diagnostics += set.diagnostics.filter { $0.severity > .note }
            entries.append(Entry(name: Self.name(of: path, lockPath: lockPath, files), set: set))
        }
        if entries.isEmpty, diagnostics.isEmpty { throw ModelFinder.noModels(below: paths) }
        entries.sort { $0.name < $1.name }
    }

    /// Creates the models from those that were read.
    init(_ sets: [ModelSet], lockPath: String, isWhole: Bool, _ files: any FileSystem) {
        self.isWhole = isWhole
        isSearched = { _ in true }
        entries = sets.map { Entry(name: Self.name(of: $0.path, lockPath: lockPath, files), set: $0) }
            .sorted { $0.name < $1.name }
    }

    /// Leaves models out whose names a function accepts.
    mutating func leaveOut(_ isUnwanted: (String) -> Bool) {
        entries.removeAll { isUnwanted($0.name) }
    }

    /// The versions that exist and cannot be read.
    var skippedVersions: Set<ModelLock.Version> {
        Set(
            entries.flatMap { entry in
                entry.set.skippedVersionNames.map { ModelLock.Version(model: entry.name, name: $0) }
            })
    }

    /// Returns whether a model of the lock that was not found is gone.
    func isGone(_ name: String) -> Bool { isWhole && isSearched(name) }

    /// Returns the models of a lock that are gone and have the released versions of a model that the lock lacks: they
    /// were moved or renamed.
    func moves(from lock: ModelLock) -> [Move] {
        let lockedNames = Set(lock.entries.keys.map(\.model))
        let names = Set(entries.map(\.name))
        var added = entries.filter { !lockedNames.contains($0.name) }
        return lockedNames.subtracting(names).filter(isGone).sorted().compactMap { path in
            let released = lock.entries.filter { $0.key.model == path && $0.value.isReleased }
            guard !released.isEmpty,
                let index = added.firstIndex(where: { Self.has(released, $0.set) })
            else { return nil }
            return Move(path: path, newPath: added.remove(at: index).name)
        }
    }

    /// Returns whether a model has the hashes of released versions, under the same names.
    private static func has(_ released: [ModelLock.Key: ModelLock.Entry], _ set: ModelSet) -> Bool {
        Dictionary(grouping: released) { $0.key.version }.allSatisfy { name, lines in
            guard let hashes = try? set.versions.first(where: { $0.name == name })?.indexedModel().hashes.entities
            else { return false }
            let found = Dictionary(hashes.elements.map { ($0.name, $0.hash) }) { first, _ in first }
            return lines.count == found.count && lines.allSatisfy { found[$0.key.entity] == $0.value.hash }
        }
    }

    /// Returns the path of a model relative to the folder of the lock.
    static func name(of path: String, lockPath: String, _ files: any FileSystem) -> String {
        files.relativePath(path, from: PathName.parent(of: lockPath)) ?? path
    }

    /// Returns the lines of all versions as they should be now.
    ///
    /// - Parameter isReleased: Whether a version is released, given what the lock says so far.
    func lock(isReleased: (_ model: String, _ version: ModelSet.Version, _ isCurrent: Bool) -> Bool)
        throws(InputFailure)
        -> ModelLock
    {
        var lock = ModelLock()
        for entry in entries {
            for version in entry.set.versions {
                let hashes = try version.indexedModel().hashes
                let released = isReleased(entry.name, version, version.name == entry.set.currentVersionName)
                for element in hashes.entities.elements {
                    lock.entries[ModelLock.Key(model: entry.name, version: version.name, entity: element.name)] =
                        ModelLock.Entry(isReleased: released, hash: element.hash)
                }
            }
        }
        return lock
    }

    /// Returns the lines of all versions as they should be now. Versions that the lock does not have are released
    /// unless they are current.
    ///
    /// - Parameter releases: Whether each version in the lock is released.
    func lock(keeping releases: [ModelLock.Version: Bool]) throws(InputFailure) -> ModelLock {
        try lock { model, version, isCurrent in
            releases[ModelLock.Version(model: model, name: version.name)] ?? !isCurrent
        }
    }

    /// Returns the lines of a lock about versions that were read.
    func limited(_ lock: ModelLock) -> ModelLock {
        let read = Set(
            entries.flatMap { entry in
                entry.set.versions.map { ModelLock.Version(model: entry.name, name: $0.name) }
            })
        var result = lock
        result.entries = lock.entries.filter { key, _ in
            read.contains(ModelLock.Version(model: key.model, name: key.version))
        }
        return result
    }
}

extension ModelSet {
    /// The name of the current version, or of the only version.
    var currentVersionName: String? { currentName ?? (versions.count == 1 ? versions.first?.name : nil) }
}
