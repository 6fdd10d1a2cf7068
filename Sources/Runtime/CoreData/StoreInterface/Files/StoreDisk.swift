internal import Foundation

/// The operations on files next to a SQLite database. Tests replace them to simulate crashes.
class StoreDisk: @unchecked Sendable {
    static let standard = StoreDisk()

    /// Creates a folder and its missing parent folders.
    func createFolder(_ url: URL) throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// Writes a file that does not exist yet.
    func write(_ data: Data, to url: URL) throws {
        try data.write(to: url, options: .withoutOverwriting)
    }

    /// Waits until the content of a file, or the names in a folder, are on the disk.
    func synchronize(_ url: URL) throws {
        let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    /// Creates an empty file with a mode; `nil` for the default one.
    func createFile(_ url: URL, mode: mode_t?) throws {
        let descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode ?? 0o644)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        if let mode { fchmod(descriptor, mode) }
        close(descriptor)
    }

    /// Copies a file to a path that does not exist, with its mode.
    func copy(_ file: URL, to url: URL) throws {
        try FileManager.default.copyItem(at: file, to: url)
        if let mode = FileMode.of(file) { chmod(url.path, mode) }
    }

    /// Renames a file, which replaces the one at the new path.
    func rename(_ file: URL, _ url: URL) throws {
        guard Foundation.rename(file.path, url.path) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }

    func remove(_ url: URL) throws {
        try FileManager.default.removeItem(at: url)
    }
}
