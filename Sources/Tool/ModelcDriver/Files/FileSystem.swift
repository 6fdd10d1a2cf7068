/// The file operations that commands need. Paths are absolute, or relative to the environment's working directory.
/// Thread-safe.
package protocol FileSystem: Sendable {
    /// Returns what a path names, following symbolic links; `nil` if nothing exists there or it cannot be accessed.
    func kind(of path: String) -> FileKind?
    /// Returns the target of a symbolic link, as written in the link; `nil` for anything else.
    func linkTarget(of path: String) -> String?
    /// Returns the identity of a file or folder, following symbolic links; `nil` if it does not exist.
    func identity(of path: String) -> FileIdentity?
    /// Returns the absolute path without symbolic links, `.` and `..`; `nil` if nothing exists there.
    func canonicalPath(_ path: String) -> String?
    /// Returns when the file, folder or link itself was last changed, in seconds; `nil` if it does not exist.
    func modificationTime(of path: String) -> Int?
    /// Returns a value that changes whenever a file is written or replaced; `nil` if it is unknown, or if there is no
    /// such file.
    func stamp(of path: String) -> FileStamp?
    /// Returns the bytes of a regular file.
    func read(_ path: String) throws(FileSystemError) -> [UInt8]
    /// Returns the first bytes of a regular file, at most `count` of them.
    func readHead(_ path: String, count: Int) throws(FileSystemError) -> [UInt8]
    /// Returns the names in a directory, without `.` and `..`, sorted.
    func list(_ path: String) throws(FileSystemError) -> [String]
    /// Creates a directory and its missing parents. A no-op if it exists.
    func createDirectory(_ path: String) throws(FileSystemError)
    /// Writes a file that must not exist yet, not even as a symbolic link. On failure, no part of it remains.
    ///
    /// - Parameter original: A file whose permissions and, if possible, owner the new file gets.
    func create(_ path: String, _ bytes: [UInt8], like original: String?) throws(FileSystemError)
    /// Writes to a device, a pipe or an open descriptor, waiting until it has a reader.
    func write(_ bytes: [UInt8], toStream path: String) throws(FileSystemError)
    /// Renames a file to its final name, unless that name is taken.
    ///
    /// - Returns: Whether the file has the name. If not, the file keeps its old one.
    func place(_ path: String, at newPath: String) throws(FileSystemError) -> Bool
    /// Adds a second name to a file, which preserves its contents while the file at the first is replaced. On file
    /// systems without hard links, the file is renamed.
    func keep(_ path: String, as backup: String) throws(FileSystemError)
    /// Renames a file or folder, replacing the file at the new path in one step.
    func rename(_ path: String, to newPath: String) throws(FileSystemError)
    /// Exchanges two folders in one step; false if the system cannot.
    func exchange(_ path: String, _ other: String) -> Bool
    /// Removes a file, or a symbolic link itself.
    func remove(_ path: String) throws(FileSystemError)
    func removeEmptyDirectory(_ path: String)
    /// Removes a file, or a folder with its contents, without following symbolic links. Skips what cannot be removed.
    func removeTree(_ path: String)
    /// Acquires a folder's lock, waiting for other processes that hold it. The lock is released with the object.
    ///
    /// - Returns: The lock; `nil` if there is no such folder or its file system has no locks.
    /// - Throws: If the lock is not released in time, or the process receives a signal to terminate.
    func lock(folder path: String) throws(FileSystemError) -> FolderLock?
    /// Returns whether a process holds a folder's lock.
    func isLocked(folder path: String) -> Bool
    /// Returns the path by which the system's own libraries, such as SQLite, open the file.
    func systemPath(_ path: String) -> String
}

/// The kind of file at a path.
package enum FileKind: Equatable, Sendable {
    /// A regular file, with its size in bytes.
    case file(size: Int)
    case directory
    /// A device, a pipe or a socket.
    case other
}

/// The identity of a file or folder while it exists.
package struct FileIdentity: Hashable, Sendable {
    /// The ID of the file system.
    package var device: UInt64
    /// The inode number of the file.
    package var file: UInt64

    /// Creates an identity.
    package init(device: UInt64, file: UInt64) {
        self.device = device
        self.file = file
    }
}

/// A value that changes whenever a file is written or replaced. Two writes within the resolution of the file system's
/// clock can leave the same stamp.
package struct FileStamp: Hashable, Sendable {
    package var identity: FileIdentity
    /// The size, in bytes.
    package var size: Int
    /// The time of the last change of the contents, in seconds since 1970.
    package var seconds: Int
    /// The nanoseconds after `seconds`.
    package var nanoseconds: Int
}

extension FileSystem {
    package func stamp(of path: String) -> FileStamp? { nil }

    package func isLocked(folder path: String) -> Bool { false }
}

/// A file operation that failed.
package struct FileSystemError: Error, Sendable {
    package var path: String
    /// The operation that failed: a verb that completes "cannot …".
    package var action: String
    /// The system's reason.
    package var reason: String
    /// Whether all files are as they were before the command.
    package var nothingChanged = true

    /// Creates an error.
    package init(path: String, action: String, reason: String) {
        self.path = path
        self.action = action
        self.reason = reason
    }
}

extension FileSystem {
    /// Returns the path of a file or folder relative to a folder, through its parents if necessary. Neither has to
    /// exist.
    ///
    /// - Returns: `nil` if paths have no canonical form, as in a git revision.
    func relativePath(_ path: String, from folder: String) -> String? {
        guard let path = fullPath(path), let base = fullPath(folder.isEmpty ? "." : folder) else { return nil }
        let target = PathName.normalizedComponents(path)
        let start = PathName.normalizedComponents(base)
        var shared = 0
        while shared < min(target.count, start.count), target[shared] == start[shared] { shared += 1 }
        return (Array(repeating: "..", count: start.count - shared) + target[shared...].map(String.init))
            .joined(separator: "/")
    }

    /// Returns whether paths are the working directory, however it is spelled, and nothing else.
    func isWorkingDirectory(_ paths: [String]) -> Bool {
        guard paths.count == 1, !paths[0].isEmpty else { return false }
        return paths[0] == "." || canonicalPath(paths[0]).map { $0 == canonicalPath(".") } ?? false
    }

    /// Returns the canonical path of a file or folder, which need not exist: the canonical path of the nearest folder
    /// that does, and the missing names.
    ///
    /// - Returns: `nil` if paths have no canonical form, as in a git revision.
    package func fullPath(_ path: String) -> String? {
        var missing: [String] = []
        var current = PathName.withoutTrailingSlashes(path)
        while true {
            if let canonical = canonicalPath(current.isEmpty ? "." : current) {
                guard !missing.isEmpty else { return canonical }
                let components = PathName.normalizedComponents(
                    ([canonical] + missing.reversed()).joined(separator: "/"))
                return "/" + components.joined(separator: "/")
            }
            guard !current.isEmpty, current != "/" else { return nil }
            missing.append(PathName.name(of: current))
            current = PathName.parent(of: current)
        }
    }
}
