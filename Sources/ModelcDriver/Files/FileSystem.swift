/// The file operations that commands need. Paths are relative to the environment's working directory or absolute. May be
/// asked from several threads at once.
public protocol FileSystem: Sendable {
    /// What a path names, following symbolic links; nil when there is nothing, or nothing that can be looked at.
    func kind(of path: String) -> FileKind?
    /// The bytes of a file.
    func read(_ path: String) throws(FileSystemError) -> [UInt8]
    /// The first bytes of a file, at most `count` of them.
    func readHead(_ path: String, count: Int) throws(FileSystemError) -> [UInt8]
    /// The names in a directory, without `.` and `..`, sorted.
    func list(_ path: String) throws(FileSystemError) -> [String]
    /// Makes a directory and those above it. Nothing happens when it exists.
    func createDirectory(_ path: String) throws(FileSystemError)
    /// Writes a file that must not exist yet.
    func create(_ path: String, _ bytes: [UInt8]) throws(FileSystemError)
    /// Renames a file, replacing what is at the new path in one step.
    func rename(_ path: String, to newPath: String) throws(FileSystemError)
    /// Removes a file, or a symbolic link itself.
    func remove(_ path: String) throws(FileSystemError)
    /// The path that the system's own libraries, such as SQLite, open the file by.
    func systemPath(_ path: String) -> String
    /// Removes a directory if it is empty.
    func removeEmptyDirectory(_ path: String)
}

/// What a path names.
public enum FileKind: Equatable, Sendable {
    /// A file of a size in bytes.
    case file(size: Int)
    /// A directory.
    case directory
    /// A device, a socket, or something else that is neither.
    case other
}

/// A file operation that failed.
public struct FileSystemError: Error, Sendable {
    /// The path.
    public var path: String
    /// What was tried, as the system calls it in a sentence: "cannot …".
    public var action: String
    /// The system's reason.
    public var reason: String

    /// Makes an error.
    public init(path: String, action: String, reason: String) {
        self.path = path
        self.action = action
        self.reason = reason
    }
}
