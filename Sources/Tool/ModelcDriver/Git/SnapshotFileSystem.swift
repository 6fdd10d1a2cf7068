/// The files of a git revision, in memory and read-only.
struct SnapshotFileSystem: FileSystem {
    /// The bytes of the files by path.
    private let contents: [String: [UInt8]]
    /// The path of the folder, or of the only file.
    private let root: String
    /// The names in each folder.
    private let folders: [String: Set<String>]

    /// Creates a file system from files below a folder.
    init(root: String, files: [String: [UInt8]]) {
        var folders: [String: Set<String>] = [root: []]
        for path in files.keys where path != root {
            var child = path
            while child != root, !child.isEmpty {
                let parent = PathName.parent(of: child)
                folders[parent, default: []].insert(PathName.name(of: child))
                child = parent
            }
        }
        contents = files
        self.root = root
        self.folders = folders
    }

    /// The bytes of all files, by the path in the folder; the path of the only file is empty.
    var allFiles: [(path: String, bytes: [UInt8])] {
        contents.map { path, bytes in (path == root ? "" : String(path.dropFirst(root.count + 1)), bytes) }
    }

    func kind(of path: String) -> FileKind? {
        if let bytes = contents[path] { return .file(size: bytes.count) }
        return folders[path]?.isEmpty == false ? .directory : nil
    }

    func read(_ path: String) throws(FileSystemError) -> [UInt8] {
        guard let bytes = contents[path] else { throw failure(path, action: "read", reason: "there is no such file") }
        return bytes
    }

    func readHead(_ path: String, count: Int) throws(FileSystemError) -> [UInt8] {
        Array(try read(path).prefix(count))
    }

    func list(_ path: String) throws(FileSystemError) -> [String] {
        guard let names = folders[path] else { throw failure(path, action: "list", reason: "there is no such folder") }
        return names.sorted()
    }

    func linkTarget(of path: String) -> String? { nil }
    func identity(of path: String) -> FileIdentity? { nil }
    func canonicalPath(_ path: String) -> String? { nil }
    func modificationTime(of path: String) -> Int? { nil }
    func systemPath(_ path: String) -> String { path }
    func exchange(_ path: String, _ other: String) -> Bool { false }
    func removeEmptyDirectory(_ path: String) {}
    func removeTree(_ path: String) {}
    func lock(folder path: String) throws(FileSystemError) -> FolderLock? { nil }

    // Revisions do not change.
    func createDirectory(_ path: String) throws(FileSystemError) { throw readOnly(path) }
    func create(_ path: String, _ bytes: [UInt8], like original: String?) throws(FileSystemError) {
        throw readOnly(path)
    }
    func write(_ bytes: [UInt8], toStream path: String) throws(FileSystemError) { throw readOnly(path) }
    func place(_ path: String, at newPath: String) throws(FileSystemError) -> Bool { throw readOnly(path) }
    func keep(_ path: String, as backup: String) throws(FileSystemError) { throw readOnly(path) }
    func rename(_ path: String, to newPath: String) throws(FileSystemError) { throw readOnly(path) }
    func remove(_ path: String) throws(FileSystemError) { throw readOnly(path) }

    private func readOnly(_ path: String) -> FileSystemError {
        failure(path, action: "write", reason: "a git revision is read-only")
    }

    private func failure(_ path: String, action: String, reason: String) -> FileSystemError {
        FileSystemError(path: path, action: action, reason: reason)
    }
}
