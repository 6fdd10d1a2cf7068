import Foundation

@testable import ModelcDriver

/// A file system that calls a script before every mutating operation; the script may throw or do what another process
/// might do at that moment.
final class ScriptedFileSystem: FileSystem, @unchecked Sendable {
    /// A mutating operation.
    enum Operation: Equatable {
        case createDirectory(String)
        case create(String)
        case place(String)
        case keep(String)
        case rename(String)
        case remove(String)
    }

    private let inner: POSIXFileSystem
    private let script: (Int, Operation) throws(FileSystemError) -> Void
    private let lock = NSLock()
    private(set) var operations: [Operation] = []
    /// The number of times that each file was read as a whole.
    private(set) var readCounts: [String: Int] = [:]
    /// The number of paths that were resolved.
    private(set) var resolvedCount = 0
    /// A function that is called before a file is read, with its path.
    var willRead: (String) -> Void = { _ in }

    /// - Parameter script: A function that receives the number of the operation, starting at 0, and the operation.
    init(_ inner: POSIXFileSystem, script: @escaping (Int, Operation) throws(FileSystemError) -> Void) {
        self.inner = inner
        self.script = script
    }

    /// Creates a file system in which one operation fails, as on a full disk.
    convenience init(_ inner: POSIXFileSystem, failingAt number: Int) {
        self.init(inner) { count, _ throws(FileSystemError) in
            guard count == number else { return }
            throw FileSystemError(path: "scripted", action: "write", reason: "No space left on device")
        }
    }

    private func step(_ operation: Operation) throws(FileSystemError) {
        let number = lock.withLock {
            operations.append(operation)
            return operations.count - 1
        }
        try script(number, operation)
    }

    func createDirectory(_ path: String) throws(FileSystemError) {
        try step(.createDirectory(path))
        try inner.createDirectory(path)
    }
    func create(_ path: String, _ bytes: [UInt8], like original: String?) throws(FileSystemError) {
        try step(.create(path))
        try inner.create(path, bytes, like: original)
    }
    func place(_ path: String, at newPath: String) throws(FileSystemError) -> Bool {
        try step(.place(newPath))
        return try inner.place(path, at: newPath)
    }
    func keep(_ path: String, as backup: String) throws(FileSystemError) {
        try step(.keep(path))
        try inner.keep(path, as: backup)
    }
    func rename(_ path: String, to newPath: String) throws(FileSystemError) {
        try step(.rename(newPath))
        try inner.rename(path, to: newPath)
    }
    func remove(_ path: String) throws(FileSystemError) {
        try step(.remove(path))
        try inner.remove(path)
    }

    func write(_ bytes: [UInt8], toStream path: String) throws(FileSystemError) {
        try inner.write(bytes, toStream: path)
    }
    func kind(of path: String) -> FileKind? { inner.kind(of: path) }
    func linkTarget(of path: String) -> String? { inner.linkTarget(of: path) }
    func identity(of path: String) -> FileIdentity? { inner.identity(of: path) }
    func canonicalPath(_ path: String) -> String? {
        lock.withLock { resolvedCount += 1 }
        return inner.canonicalPath(path)
    }
    func modificationTime(of path: String) -> Int? { inner.modificationTime(of: path) }
    func read(_ path: String) throws(FileSystemError) -> [UInt8] {
        willRead(path)
        lock.withLock { readCounts[path, default: 0] += 1 }
        return try inner.read(path)
    }
    func readHead(_ path: String, count: Int) throws(FileSystemError) -> [UInt8] {
        try inner.readHead(path, count: count)
    }
    func list(_ path: String) throws(FileSystemError) -> [String] { try inner.list(path) }
    /// Returns `false`, as on a system that cannot exchange folders.
    func exchange(_ path: String, _ other: String) -> Bool { false }
    func removeEmptyDirectory(_ path: String) { inner.removeEmptyDirectory(path) }
    func removeTree(_ path: String) { inner.removeTree(path) }
    func lock(folder path: String) throws(FileSystemError) -> FolderLock? { try inner.lock(folder: path) }
    func systemPath(_ path: String) -> String { inner.systemPath(path) }
}
