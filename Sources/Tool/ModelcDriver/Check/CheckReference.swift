internal import Diagnostics
internal import ModelLint
internal import ProjectConfiguration

/// The released state that `modelc check` compares with.
struct CheckReference {
    /// The state; `nil` if there is none.
    let reference: BreakingReference?
    /// The reason why there is none.
    let failure: Diagnostic?

    /// Finds the released state.
    ///
    /// - Parameters:
    ///   - name: The state that the user named, or `nil` for that of the settings or else the default branch.
    ///   - isNeeded: Whether there is anything to compare.
    /// - Throws: If a state that was named cannot be read.
    init(
        name: String?, settings: RunSettings, paths: [String], swift: SwiftReading, isNeeded: Bool,
        files: any FileSystem
    ) throws(InputFailure) {
        guard isNeeded else {
            (reference, failure) = (nil, nil)
            return
        }
        let folder = Self.folder(of: paths, files)
        let lockPath = LockFile.defaultName
        let git = GitReader(files: files)
        let setting = name == nil ? try Self.name(in: settings, files) : nil
        if let named = name ?? setting {
            let isPath = BreakingReference.isPath(named, files) || named.hasSuffix(".lock")
            let revision =
                isPath || GitReader.Location(named) != nil
                ? named : try git.base(named, of: folder).revision
            reference = try BreakingReference(
                revision, lockPath: lockPath, usesNearestLocks: true, swift: swift, git: git, files: files)
            failure = nil
            return
        }
        do throws(InputFailure) {
            let base = try git.base(nil, of: folder)
            reference = try BreakingReference(
                base.revision, lockPath: lockPath, usesNearestLocks: true, swift: swift, git: git, files: files)
            failure = nil
        } catch {
            // A lock is a released state too.
            if case .file? = files.kind(of: lockPath) {
                reference = try BreakingReference(lockPath, lockPath: lockPath, swift: swift, files: files)
                failure = nil
                return
            }
            reference = nil
            failure = error.diagnostics.first
        }
    }

    /// Returns the name in the settings, whose paths start at their folder.
    private static func name(in settings: RunSettings, _ files: any FileSystem) throws(InputFailure) -> String? {
        guard let name = settings.configuration.reference else { return nil }
        let path = RunSettings.path(name, from: settings.root)
        let found = BreakingReference.isPath(path, files) ? path : name
        if BreakingReference.isPath(found, files) { try settings.requireOwn(found, key: "against") }
        return found
    }

    /// Returns the folder whose repository is asked.
    static func folder(of paths: [String], _ files: any FileSystem) -> String {
        let path = PathName.withoutTrailingSlashes(paths.first ?? ".")
        if files.kind(of: path) == .directory { return path }
        let parent = PathName.parent(of: path)
        return parent.isEmpty ? "." : parent
    }
}
