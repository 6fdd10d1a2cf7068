import ModelcDriver

/// The real file system, but nothing can be written while it is full.
final class FullDiskFileSystem: FileSystem, @unchecked Sendable {
    private let inner = POSIXFileSystem()
    /// Whether writing fails. Tests change this between calls, on one thread.
    var isFull = false
    /// The number of times that files were read as a whole.
    private(set) var readCount = 0

    private func requireRoom(_ path: String) throws(FileSystemError) {
        if isFull { throw FileSystemError(path: path, action: "write", reason: "No space left on device") }
    }

    func create(_ path: String, _ bytes: [UInt8], like original: String?) throws(FileSystemError) {
        try requireRoom(path)
        try inner.create(path, bytes, like: original)
    }
    func createDirectory(_ path: String) throws(FileSystemError) { try inner.createDirectory(path) }
    func write(_ bytes: [UInt8], toStream path: String) throws(FileSystemError) {
        try requireRoom(path)
        try inner.write(bytes, toStream: path)
    }
    func read(_ path: String) throws(FileSystemError) -> [UInt8] {
        readCount += 1
        return try inner.read(path)
    }
    func readHead(_ path: String, count: Int) throws(FileSystemError) -> [UInt8] {
        try inner.readHead(path, count: count)
    }
    func stamp(of path: String) -> FileStamp? { inner.stamp(of: path) }
    func kind(of path: String) -> FileKind? { inner.kind(of: path) }
    func linkTarget(of path: String) -> String? { inner.linkTarget(of: path) }
    func identity(of path: String) -> FileIdentity? { inner.identity(of: path) }
    func canonicalPath(_ path: String) -> String? { inner.canonicalPath(path) }
    func modificationTime(of path: String) -> Int? { inner.modificationTime(of: path) }
    func list(_ path: String) throws(FileSystemError) -> [String] { try inner.list(path) }
    func place(_ path: String, at newPath: String) throws(FileSystemError) -> Bool {
        try inner.place(path, at: newPath)
    }
    func keep(_ path: String, as backup: String) throws(FileSystemError) { try inner.keep(path, as: backup) }
    func rename(_ path: String, to newPath: String) throws(FileSystemError) {
        try inner.rename(path, to: newPath)
    }
    func exchange(_ path: String, _ other: String) -> Bool { inner.exchange(path, other) }
    func remove(_ path: String) throws(FileSystemError) { try inner.remove(path) }
    func removeEmptyDirectory(_ path: String) { inner.removeEmptyDirectory(path) }
    func removeTree(_ path: String) { inner.removeTree(path) }
    func lock(folder path: String) throws(FileSystemError) -> FolderLock? { try inner.lock(folder: path) }
    func systemPath(_ path: String) -> String { inner.systemPath(path) }
}
