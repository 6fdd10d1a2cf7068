internal import Foundation
internal import RuntimeSupport
internal import StoreFile

/// The location of an atomic store's file: reads and replaces regular files only.
struct StoreFileLocation {
    let url: URL
    private let disk: StoreDisk

    /// The kind of file at a path.
    enum Kind: Equatable {
        case missing
        case regularFile(size: Int)
        case folder
        /// A device, a pipe or a socket.
        case other
    }

    init(_ url: URL, disk: StoreDisk = .standard) throws {
        guard url.isFileURL else {
            throw CoreDataError.error(
                .persistentStoreOpen, text: "the store's URL is not that of a file: \(url.absoluteString)",
                userInfo: [NSURLErrorKey: url])
        }
        self.url = url
        self.disk = disk
    }

    /// The target path of a symbolic link, or the path itself if it is not a link.
    private var path: String { realPath(url.path) ?? url.path }

    private func realPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The kind of the file at the path. Links are followed; a broken link counts as `other`.
    var kind: Kind {
        var status = stat()
        if stat(url.path, &status) != 0 {
            return lstat(url.path, &status) == 0 ? .other : .missing
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .regularFile(size: Int(status.st_size))
        case S_IFDIR: return .folder
        default: return .other
        }
    }

    // MARK: Reading

    /// Returns the content of the file, or `nil` if the file is missing or empty.
    ///
    /// - Throws: An error of Cocoa's domain: 134080 for anything but a regular file; otherwise the reason why it cannot
    ///   be read.
    func read() throws -> [UInt8]? {
        switch kind {
        case .missing, .regularFile(size: 0): return nil
        case .regularFile: return [UInt8](try Data(contentsOf: url))
        case .folder, .other: throw notAFile(.persistentStoreOpen)
        }
    }

    /// Returns the first bytes of the file, or `nil` if it is missing or empty.
    func prefix(_ count: Int) throws -> [UInt8]? {
        switch kind {
        case .missing, .regularFile(size: 0): return nil
        case .regularFile:
            // It may be a database that this process has open: closing any other descriptor would release its locks.
            if let prefix = DatabaseFiles.prefix(of: url.path, count: count) { return prefix }
            throw CocoaError(.fileReadNoPermission, userInfo: [NSFilePathErrorKey: url.path])
        case .folder, .other: throw notAFile(.persistentStoreOpen)
        }
    }

    func notAFile(_ code: CocoaError.Code) -> NSError {
        let what = kind == .folder ? "a folder" : "not a regular file"
        return CoreDataError.error(
            code, text: "there is no store at \(url.path): it is \(what)",
            userInfo: [NSURLErrorKey: url, NSFilePathErrorKey: url.path])
    }

    // MARK: Writing

    /// Replaces the file, or creates it. After a failure or a crash, it has either the old or the new content.
    ///
    /// A symbolic link is kept: its target file is replaced.
    ///
    /// - Parameter mode: The mode of a new file; `nil` for the default one. A replaced file keeps that of the old one.
    /// - Throws: An error of Cocoa's domain: 512 and above, with the POSIX error as the underlying error.
    func replace(with bytes: [UInt8], mode: mode_t? = nil) throws { try stage(bytes, mode: mode).commit() }

    /// Writes the new content of the file next to it.
    ///
    /// - Parameters:
    ///   - mode: The mode of a new file; `nil` for the default one.
    ///   - check: Throws an error if the file must not be replaced after all.
    /// - Throws: As `replace(with:mode:)` does.
    func stage(
        _ bytes: [UInt8], mode: mode_t? = nil, _ check: @escaping () throws -> Void = {}
    ) throws -> StagedFile {
        let target = path
        if [.folder, .other].contains(kind) { throw notAFile(.persistentStoreSave) }
        let folder = (target as NSString).deletingLastPathComponent
        let temporary = "\(folder)/.\((target as NSString).lastPathComponent).\(UUID().uuidString)"
        do {
            try write(bytes, to: temporary, FileMode.of(url) ?? mode)
        } catch {
            unlink(temporary)
            throw failure(error)
        }
        return StagedFile(temporary: temporary) {
            try withLock {
                do {
                    try check()
                } catch {
                    unlink(temporary)
                    throw error
                }
                do {
                    try replace(target, with: temporary)
                } catch {
                    unlink(temporary)
                    throw failure(error)
                }
            }
        }
    }

    /// Runs a block that compares the file's version and then replaces it. Another process that does the same waits,
    /// and then finds another version. A file that cannot be locked, or a missing one, does not prevent the work.
    ///
    /// The lock is that of the old file, so the version must have been read before.
    func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        let descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        defer { if descriptor >= 0 { close(descriptor) } }
        if descriptor >= 0 {
            while flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
        }
        return try body()
    }

    /// Renames a file, which replaces the one at the target path.
    ///
    /// With the rename, every reader has the new content. If the folder cannot be synchronized after it, only a power
    /// failure may bring the old content back. That is not reported as an error, which would say that nothing has
    /// changed.
    private func replace(_ target: String, with other: String) throws {
        guard rename(other, target) == 0 else { throw Self.posixError() }
        let folder = URL(fileURLWithPath: (target as NSString).deletingLastPathComponent, isDirectory: true)
        do {
            try disk.synchronize(folder)
        } catch {
            Log.error("\(target) was replaced, but its folder cannot be synchronized with the disk: \(error)")
        }
    }

    /// Replaces the file with another one in its folder, whose content is already on the disk. After a failure or a
    /// crash, it has either the old or the new content.
    ///
    /// - Throws: As `replace(with:)` does.
    func replace(withFileAt other: URL) throws {
        let target = path
        do {
            if let mode = FileMode.of(url) { chmod(other.path, mode) }
            try replace(target, with: other.path)
        } catch {
            throw failure(error)
        }
    }

    /// The state that changes when the file is replaced or written; `nil` if the file is missing.
    var version: Version? { Self.version(atPath: url.path) }

    /// The state of the file at a path; `nil` if it is missing.
    static func version(atPath path: String) -> Version? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Version(
            inode: UInt64(status.st_ino), size: Int64(status.st_size), seconds: status.st_mtim.tv_sec,
            nanoseconds: status.st_mtim.tv_nsec)
    }

    /// A state of the file.
    struct Version: Equatable {
        fileprivate var inode: UInt64
        fileprivate var size: Int64
        fileprivate var seconds: Int
        fileprivate var nanoseconds: Int
    }

    private func write(_ bytes: [UInt8], to path: String, _ mode: mode_t?) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
        guard descriptor >= 0 else { throw Self.posixError() }
        defer { close(descriptor) }
        if let mode { fchmod(descriptor, mode) }
        try bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw Self.posixError() }
                rest = rest.dropFirst(count)
            }
        }
        guard fsync(descriptor) == 0 else { throw Self.posixError() }
    }

    private static func posixError() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

    private func failure(_ error: any Error) -> NSError {
        let code: CocoaError.Code =
            switch (error as? POSIXError)?.code {
            case .ENOSPC, .EDQUOT: .fileWriteOutOfSpace
            case .EACCES, .EPERM: .fileWriteNoPermission
            case .EROFS: .fileWriteVolumeReadOnly
            case .ENOENT, .ENOTDIR: .fileNoSuchFile
            default: .fileWriteUnknown
            }
        return CoreDataError.error(
            code, text: "the store at \(url.path) cannot be written: \(error.localizedDescription)",
            userInfo: [NSURLErrorKey: url, NSFilePathErrorKey: url.path, NSUnderlyingErrorKey: error])
    }

    /// Removes the file. If it is a symbolic link, the link itself is removed.
    func remove() throws {
        guard unlink(url.path) == 0 || errno == ENOENT else { throw failure(Self.posixError()) }
    }
}

/// The new content of a file, in a temporary file next to it.
struct StagedFile {
    fileprivate let temporary: String
    /// Replaces the file.
    let commit: () throws -> Void

    fileprivate init(temporary: String, commit: @escaping () throws -> Void) {
        self.temporary = temporary
        self.commit = commit
    }

    /// The state that the file will have once it is committed.
    var version: StoreFileLocation.Version? { StoreFileLocation.version(atPath: temporary) }

    /// Returns the same file with a step after it was committed.
    func then(_ step: @escaping () -> Void) -> StagedFile {
        StagedFile(temporary: temporary) { [commit] in
            try commit()
            step()
        }
    }

    /// Removes the temporary file.
    func discard() { unlink(temporary) }
}
