internal import Diagnostics
internal import ModelEvolution
internal import ModelMigration
internal import ModelSchema
internal import ModelSource

/// The source of a model's released state, which `--against` names.
struct BreakingReference {
    /// The kinds of reference.
    private enum Source {
        /// A git revision; each model is compared with itself in it.
        case revision(String)
        /// A model or store, for a single model.
        case models(ModelSet)
        /// The released versions of a lock.
        case lock(ModelLock)
    }

    private let source: Source
    /// The name on the command line.
    let name: String
    /// The path of the lock: the reference, or else the one that lists which versions are drafts.
    let lockPath: String
    /// Whether the drafts of a model are those of the nearest lock, and `lockPath` is only used outside of folders with
    /// one.
    private let usesNearestLocks: Bool
    private let files: any FileSystem
    /// The repository.
    let git: GitReader
    private let swift: SwiftReading

    /// The released state of one model.
    struct Released {
        var history: ModelHistory
        /// The description of the reference, for messages.
        var description: String
        /// Whether the names of its versions are those of the model's versions, and not of a file or store.
        var namesVersions: Bool
        /// Versions that cannot be read, by name.
        var skippedVersionNames: [String] = []
    }

    /// - Parameters:
    ///   - usesNearestLocks: Whether the drafts of a model are those of the nearest lock at or above it.
    ///   - swift: How Swift sources are read.
    ///   - git: The repository with its cache, or `nil` for that of the files.
    init(
        _ name: String, lockPath: String, usesNearestLocks: Bool = false, swift: SwiftReading,
        git: GitReader? = nil, files: any FileSystem
    ) throws(InputFailure) {
        self.name = name
        self.usesNearestLocks = usesNearestLocks
        self.files = files
        self.git = git ?? GitReader(files: files)
        self.swift = swift
        let path = PathName.withoutTrailingSlashes(name)
        self.lockPath = path.hasSuffix(".lock") ? path : lockPath
        switch files.kind(of: path) {
        case .file? where PathName.name(of: path).hasSuffix(".lock"):
            source = .lock(try LockFile(files: files, path: path).read() ?? ModelLock())
        case _ where Self.isPath(path, files):
            source = .models(try ModelSetReader(files: files, swift: swift).read(path))
        case nil where path.hasSuffix(".lock"):
            throw InputFailure(
                path, rule: .noSuchFile, message: "the lock does not exist",
                help: "Write one with “modelc lock update”.")
        default:
            if let location = GitReader.Location(name) {
                source = .models(try EvolutionReader(files: files, swift: swift).modelSet(location))
            } else {
                source = .revision(name)
            }
        }
    }

    /// Returns whether a name is the path of a file or model. Any other folder may share its name with a branch.
    static func isPath(_ name: String, _ files: any FileSystem) -> Bool {
        let path = PathName.withoutTrailingSlashes(name)
        switch files.kind(of: path) {
        case .file?: return true
        case .directory?: return [".xcdatamodeld", ".xcdatamodel", ".momd"].contains(where: path.hasSuffix)
        case .other?, nil: return false
        }
    }

    /// The git revision; `nil` for another reference.
    var revision: String? { if case .revision(let revision) = source { revision } else { nil } }

    var isLock: Bool { if case .lock = source { true } else { false } }

    /// The paths of the models in the lock; empty for other references.
    var lockedModels: [String] { if case .lock(let lock) = source { lock.models } else { [] } }

    /// Lists what a revision has of models at once, before each is read.
    func prepare(_ paths: [String]) {
        guard case .revision(let revision) = source else { return }
        let locks = Set(paths.flatMap { self.locks(of: $0, in: revision) } + [lockPath])
        git.prepare((paths + locks.sorted()).map { GitReader.Location(revision: revision, ofModel: $0) })
    }

    /// Returns the models below folders that a revision has and the working tree does not; none for other references.
    ///
    /// - Parameter isIncluded: Whether a path is checked.
    func missingModels(below paths: [String], isIncluded: (String) -> Bool) throws(InputFailure) -> [String] {
        guard case .revision(let revision) = source else { return [] }
        var result: [String] = []
        for path in paths.map(PathName.withoutTrailingSlashes)
        where files.kind(of: path) == .directory && !ModelFinder.isModel(path) {
            result += try git.models(below: path, in: revision)
        }
        var seen: Set<String> = []
        return result.filter { seen.insert($0).inserted && isIncluded($0) && files.kind(of: $0) == nil }
    }

    /// Returns whether the mapping models below folders are those of the revision; new ones do not count. `true` for
    /// other references, which have no mapping models.
    func hasMappingsUnchanged(below paths: [String]) throws(InputFailure) -> Bool {
        guard case .revision(let revision) = source else { return true }
        for path in paths.map(PathName.withoutTrailingSlashes) {
            for mapping in try git.mappings(below: path.isEmpty ? "." : path, in: revision) {
                let snapshot = try git.read(GitReader.Location(revision: revision, ofModel: mapping))
                let isUnchanged = snapshot.allFiles.allSatisfy { name, bytes in
                    // Git may have changed the line ends.
                    (try? files.read(name.isEmpty ? mapping : PathName.joined(mapping, name)))
                        .map { TextLines.areEqual($0, bytes) } ?? false
                }
                guard isUnchanged else { return false }
            }
        }
        return true
    }

    /// Returns the released state of a model.
    ///
    /// - Returns: `nil` for a new model, which is not in the reference.
    /// - Parameters:
    ///   - history: The model as it is now. Its versions are used for those of the reference that have the same bytes.
    ///   - versions: The names of the only versions that matter, besides the current one; `nil` for all.
    func released(
        of set: ModelSet, like history: ModelHistory, lockName: String, versions: Set<String>? = nil
    ) throws(InputFailure) -> Released? {
        switch source {
        case .lock(let lock): return released(of: set, lockName: lockName, in: lock)
        case .models(let reference):
            return Released(
                history: try Self.history(of: reference, excluding: []), description: name,
                namesVersions: reference.namesVersions, skippedVersionNames: reference.skippedVersionNames)
        case .revision:
            do throws(InputFailure) {
                return try released(
                    inRevision: set.path, lockName: lockName, versions: versions, like: (set, history))
            } catch {
                // A new model has nothing to be compared with; a revision that cannot be read is an error.
                guard error.missesPath else { throw error }
                return nil
            }
        }
    }

    /// Returns the released state of a model that a revision has at a path; `nil` for references of another kind.
    ///
    /// - Parameters:
    ///   - path: The path in the working tree, which need not exist.
    ///   - versions: The names of the only versions that matter, besides the current one; `nil` for all.
    ///   - present: The model as it is now, and its history.
    func released(
        inRevision path: String, lockName: String, versions: Set<String>? = nil,
        like present: (set: ModelSet, history: ModelHistory)? = nil
    ) throws(InputFailure) -> Released? {
        guard case .revision(let revision) = source else { return nil }
        let location = GitReader.Location(revision: revision, ofModel: path)
        let snapshot = try git.read(location, versions: versions)
        let drafts = try drafts(of: path, in: revision, lockName: lockName)
        let reader = ModelSetReader(files: snapshot, swift: swift)
        guard location.shown.hasSuffix(ModelInputReader.bundleExtension), let present, present.set.source?.bundle != nil
        else {
            let reference = try reader.read(location.shown)
            return Released(
                history: try Self.history(of: reference, excluding: drafts), description: location.shown,
                namesVersions: reference.namesVersions, skippedVersionNames: reference.skippedVersionNames)
        }
        // Versions with the same bytes were read and hashed already.
        var unchanged: [String: ModelHistory.Version] = [:]
        for version in present.set.versions {
            let file = "\(location.shown)/\(version.name)\(ModelInputReader.modelExtension)/contents"
            guard let document = version.document, case .file(document.source.bytes.count)? = snapshot.kind(of: file),
                (try? snapshot.read(file)) == document.source.bytes
            else { continue }
            unchanged[version.name] = present.history.version(named: version.name)
        }
        let source = try reader.sources.readSource(location.shown, .without(Set(unchanged.keys)))
        let reference = try reader.modelSet(of: source, version: nil)
        var history = try Self.history(of: reference, excluding: drafts)
        let order = source.bundle?.versionNames ?? []
        let read = Dictionary(history.versions.map { ($0.name, $0) }) { first, _ in first }
        history.versions = order.compactMap { drafts.contains($0) ? nil : unchanged[$0] ?? read[$0] }
        let current = reference.currentName ?? (order.count == 1 ? order.first : nil)
        history.currentName = current.flatMap { history.version(named: $0) == nil ? nil : $0 }
        return Released(
            history: history, description: location.shown, namesVersions: true,
            skippedVersionNames: reference.skippedVersionNames)
    }

    /// Returns the names of the versions of a model that are drafts in the locks of a revision.
    private func drafts(
        of path: String, in revision: String, lockName: String
    ) throws(InputFailure) -> Set<String> {
        let nearestLocks = locks(of: path, in: revision)
        for nearest in nearestLocks {
            let name = LockedModels.name(of: path, lockPath: nearest, files)
            if let drafts = try drafts(of: name, inLock: nearest, of: revision) { return drafts }
        }
        if let lock = files.fullPath(lockPath), nearestLocks.contains(lock) { return [] }
        return try drafts(of: lockName, inLock: lockPath, of: revision) ?? []
    }

    /// Returns the paths at which a revision may have a lock of a model, the nearest first.
    private func locks(of path: String, in revision: String) -> [String] {
        guard usesNearestLocks, let model = files.fullPath(path),
            let top = try? git.resolve(GitReader.Location(revision: revision, ofModel: path)).top,
            let top = files.canonicalPath(top)
        else { return [] }
        var result: [String] = []
        var folder = PathName.parent(of: model)
        while PathName.relative(folder, to: top) != nil {
            result.append(PathName.joined(folder, LockFile.defaultName))
            guard folder != "/" else { break }
            folder = PathName.parent(of: folder)
        }
        return result
    }

    /// Returns the drafts of a model in a lock of a revision; `nil` if there is no lock or it does not name the model.
    private func drafts(
        of lockName: String, inLock path: String, of revision: String
    ) throws(InputFailure) -> Set<String>? {
        let location = GitReader.Location(revision: revision, ofModel: path)
        do throws(InputFailure) {
            let snapshot = try git.read(location)
            guard let lock = try LockFile(files: snapshot, path: location.shown).read() else { return nil }
            let versions = lock.versions(of: lockName)
            return versions.isEmpty ? nil : Set(versions.filter { !$0.isReleased }.map(\.name))
        } catch {
            guard error.missesPath else { throw error }
            return nil
        }
    }

    private static func history(of set: ModelSet, excluding drafts: Set<String>) throws(InputFailure) -> ModelHistory {
        var versions: [ModelHistory.Version] = []
        for version in set.versions where !drafts.contains(version.name) {
            let model = version.model == nil ? nil : try version.indexedModel()
            guard let hashes = version.statedHashes ?? model?.hashes.entities else { continue }
            versions.append(ModelHistory.Version(name: version.name, hashes: hashes, model: model))
        }
        let current = set.currentVersionName.flatMap { name in versions.contains { $0.name == name } ? name : nil }
        return ModelHistory(versions: versions, currentName: current)
    }

    /// Returns the released versions of a lock. Their models are those on disk, as far as these still have the same
    /// hashes.
    private func released(of set: ModelSet, lockName: String, in lock: ModelLock) -> Released? {
        guard lock.models.contains(lockName) else { return nil }
        var versions: [ModelHistory.Version] = []
        for (version, isReleased) in lock.versions(of: lockName) where isReleased {
            let hashes = EntityVersionHashes(lock.hashes(ofVersion: version, model: lockName))
            let model = set.versions.first { $0.name == version }?.model.map(IndexedModel.init)
            versions.append(
                ModelHistory.Version(
                    name: version, hashes: hashes, model: model?.hashes.entities == hashes ? model : nil))
        }
        // In the order of the bundle, which is that of the releases.
        let order = Dictionary(set.versions.enumerated().map { ($0.element.name, $0.offset) }) { first, _ in first }
        versions.sort { (order[$0.name] ?? .max, $0.name) < (order[$1.name] ?? .max, $1.name) }
        return Released(
            history: ModelHistory(versions: versions, currentName: nil), description: name, namesVersions: true)
    }
}

extension ModelSet {
    /// Whether the versions have names. A single file or a store is named after the file.
    fileprivate var namesVersions: Bool {
        path.hasSuffix(ModelInputReader.bundleExtension) || path.hasSuffix(ModelSetReader.compiledBundleExtension)
    }
}
