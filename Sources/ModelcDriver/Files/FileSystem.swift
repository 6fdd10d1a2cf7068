/// The file operations that commands need. Paths are relative to the environment's working directory or absolute. May be
/// called from several threads at once.
package protocol FileSystem: Sendable {
    /// Returns what a path names, following symbolic links; nil if nothing exists there or it cannot be accessed.
    func kind(of path: String) -> FileKind?
    /// Returns where a symbolic link leads, as it is written in the link; nil for anything else.
    func linkTarget(of path: String) -> String?
    /// Returns the identity of a file or folder, following symbolic links; nil if it does not exist.
    func identity(of path: String) -> FileIdentity?
    /// Returns the absolute path without symbolic links, `.` and `..`; nil if nothing exists there.
    func canonicalPath(_ path: String) -> String?
    /// Returns when the file, folder or link itself was last changed, in seconds; nil if it does not exist.
    func modificationTime(of path: String) -> Int?
    /// Returns what changes whenever a file is written or replaced; nil if that is unknown, or if there is no such file.
    func stamp(of path: String) -> FileStamp?
    /// Returns the bytes of a regular file.
    func read(_ path: String) throws(FileSystemError) -> [UInt8]
    /// Returns the first bytes of a regular file, at most `count` of them.
    func readHead(_ path: String, count: Int) throws(FileSystemError) -> [UInt8]
    /// Returns the names in a directory, without `.` and `..`, sorted.
    func list(_ path: String) throws(FileSystemError) -> [String]
    /// Makes a directory and those above it. Nothing happens if it exists.
    func createDirectory(_ path: String) throws(FileSystemError)
    /// Writes a file that must not exist yet, not even as a symbolic link; on failure nothing is left of it.
    ///
    /// - Parameter original: A file that passes on its permissions and, if possible, its owner.
    func create(_ path: String, _ bytes: [UInt8], like original: String?) throws(FileSystemError)
    /// Writes to a device, a pipe or an open descriptor, waiting until it has a reader.
    func write(_ bytes: [UInt8], toStream path: String) throws(FileSystemError)
    /// Gives a file its final name, unless something has that name.
    ///
    /// - Returns: Whether the file has the name; if not, it is still where it was.
    func place(_ path: String, at newPath: String) throws(FileSystemError) -> Bool
    /// Gives a file a second name that keeps its contents while the first is replaced. Where a file cannot have two names, it
    /// loses the first.
    func keep(_ path: String, as backup: String) throws(FileSystemError)
    /// Renames a file or folder, replacing the file at the new path in one step.
    func rename(_ path: String, to newPath: String) throws(FileSystemError)
    /// Exchanges two folders in one step; false if the system cannot.
    func exchange(_ path: String, _ other: String) -> Bool
    /// Removes a file, or a symbolic link itself.
    func remove(_ path: String) throws(FileSystemError)
    /// Removes a directory if it is empty.
    func removeEmptyDirectory(_ path: String)
    /// Removes a file, or a folder with everything in it, without following symbolic links. What cannot be removed stays.
    func removeTree(_ path: String)
    /// Waits until no other process holds a folder's lock and takes it; it is released with the object.
    ///
    /// - Returns: The lock; nil if there is no such folder or its file system has no locks.
    /// - Throws: If the lock is not released in time, or the process is told to end.
    func lock(folder path: String) throws(FileSystemError) -> FolderLock?
    /// Returns the path by which the system's own libraries, such as SQLite, open the file.
    func systemPath(_ path: String) -> String
}

/// What a path names.
package enum FileKind: Equatable, Sendable {
    /// A file of a size in bytes.
    case file(size: Int)
    /// A directory.
    case directory
    /// A device, a pipe or a socket.
    case other
}

/// What identifies a file or folder while it exists.
package struct FileIdentity: Hashable, Sendable {
    /// The file system.
    package var device: UInt64
    /// The number of the file there.
    package var file: UInt64

    /// Creates an identity.
    package init(device: UInt64, file: UInt64) {
        self.device = device
        self.file = file
    }
}

/// What changes whenever a file is written or replaced. Two writes within the resolution of the file system's clock can leave the
/// same stamp.
package struct FileStamp: Hashable, Sendable {
    /// The file.
    package var identity: FileIdentity
    /// The size, in bytes.
    package var size: Int
    /// When the contents last changed, in seconds since 1970.
    package var seconds: Int
    /// The nanoseconds after `seconds`.
    package var nanoseconds: Int
}

extension FileSystem {
    package func stamp(of path: String) -> FileStamp? { nil }
}

/// A file operation that failed.
package struct FileSystemError: Error, Sendable {
    /// The path.
    package var path: String
    /// What was tried, as the system calls it in a sentence: "cannot …".
    package var action: String
    /// The system's reason.
    package var reason: String
    /// Whether the files are as they were before the command.
    package var nothingChanged = true

    /// Creates an error.
    package init(path: String, action: String, reason: String) {
        self.path = path
        self.action = action
        self.reason = reason
    }
}
