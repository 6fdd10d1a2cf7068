/// Writes and removes several files so that either all of it happens or, when something fails, nothing has changed.
///
/// Everything that can fail for lack of space or permission is done first, beside the files that are to be replaced; what
/// remains are renames within a folder.
struct OutputTransaction {
    private let files: any FileSystem
    private var writes: [(path: String, bytes: [UInt8], replaces: Bool)] = []
    private var removals: [String] = []
    private var directory: String?

    init(files: any FileSystem) {
        self.files = files
    }

    /// Makes sure that a folder exists before anything is written.
    mutating func need(directory: String) {
        self.directory = directory
    }

    /// Plans a file.
    ///
    /// - Parameter replaces: whether a file is there now.
    mutating func write(_ path: String, _ bytes: [UInt8], replaces: Bool) {
        writes.append((path, bytes, replaces))
    }

    /// Plans the removal of a file.
    mutating func remove(_ path: String) {
        removals.append(path)
    }

    /// Does what was planned.
    func commit() throws(FileSystemError) {
        guard !writes.isEmpty || !removals.isEmpty else { return }
        let madeDirectories = directory.map(missingDirectories) ?? []
        var created: [String] = []
        var renames: [(from: String, to: String)] = []
        do throws(FileSystemError) {
            if let directory { try files.createDirectory(directory) }
            for (path, bytes, replaces) in writes {
                let target = replaces ? temporaryPath(for: path) : path
                if replaces, files.kind(of: target) != nil { try files.remove(target) }
                try files.create(target, bytes)
                created.append(target)
                if replaces { renames.append((target, path)) }
            }
        } catch {
            for path in created.reversed() { try? files.remove(path) }
            for path in madeDirectories.reversed() { files.removeEmptyDirectory(path) }
            throw error
        }
        for (from, to) in renames { try files.rename(from, to: to) }
        for path in removals { try files.remove(path) }
    }

    /// A hidden name in the same folder, so that the rename is one step.
    private func temporaryPath(for path: String) -> String {
        PathName.joined(PathName.parent(of: path), ".\(PathName.name(of: path)).modelc-new")
    }

    private func missingDirectories(_ path: String) -> [String] {
        var missing: [String] = []
        var current = path
        while !current.isEmpty, current != "/", files.kind(of: current) == nil {
            missing.append(current)
            current = PathName.parent(of: current)
        }
        return missing.reversed()
    }
}
