internal import CLibrary
internal import CSystemCalls

extension POSIXFileSystem {
    /// Creates a directory and its missing parents.
    package func createDirectory(_ path: String) throws(FileSystemError) {
        // The end of the process by a signal removes temporary folders, which must not come back as missing parents.
        try Interruption.hold { () throws(FileSystemError) in try createDirectories(path) }
    }

    private func createDirectories(_ path: String) throws(FileSystemError) {
        // Another process that undoes its own output there may remove a parent as soon as it is created.
        for _ in 0..<10 {
            if mkdir(absolute(path), 0o777) == 0 { return }
            let reason = errno
            if kind(of: path) == .directory { return }
            let parent = PathName.parent(of: path)
            guard reason == ENOENT, parent != path, !parent.isEmpty else {
                throw FileSystemError(
                    path: path, action: "create the folder", reason: String(cString: strerror(reason)))
            }
            try createDirectories(parent)
        }
        guard mkdir(absolute(path), 0o777) == 0 || kind(of: path) == .directory else {
            throw failure(path, "create the folder")
        }
    }

    /// Writes a file that must not exist yet. On failure, no part of it remains.
    package func create(_ path: String, _ bytes: [UInt8], like original: String?) throws(FileSystemError) {
        // A private file must not be readable while it is written.
        let descriptor = open(
            absolute(path), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, original == nil ? 0o666 : 0o600)
        guard descriptor >= 0 else { throw failure(path, "write") }
        var reason = writeAll(bytes, to: descriptor)
        if reason == 0, let original { reason = copyPermissions(of: original, to: descriptor) }
        // A full disk may be reported only here.
        if close(descriptor) != 0, reason == 0 { reason = errno }
        guard reason == 0 else {
            unlink(absolute(path))
            throw FileSystemError(path: path, action: "write", reason: String(cString: strerror(reason)))
        }
    }

    private func copyPermissions(of original: String, to descriptor: Int32) -> Int32 {
        var (old, new) = (stat(), stat())
        guard stat(absolute(original), &old) == 0, fstat(descriptor, &new) == 0 else { return errno }
        var mode = old.st_mode & 0o7777
        if old.st_uid != new.st_uid || old.st_gid != new.st_gid,
            fchown(descriptor, old.st_uid, old.st_gid) != 0
        {
            // Only the superuser may change a file's owner. The set-ID bits are cleared, since they would grant another
            // user's rights.
            mode &= 0o1777
            if fchown(descriptor, uid_t.max, old.st_gid) != 0, old.st_gid != new.st_gid {
                // The permissions of the old group must not be given to another group.
                mode &= ~0o070
            }
        }
        return fchmod(descriptor, mode) == 0 ? 0 : errno
    }

    /// Writes to a device, a pipe or an open descriptor.
    package func write(_ bytes: [UInt8], toStream path: String) throws(FileSystemError) {
        if let descriptor = PathName.descriptor(of: path) {
            let reason = writeAll(bytes, to: descriptor)
            guard reason == 0 else {
                throw FileSystemError(path: path, action: "write", reason: String(cString: strerror(reason)))
            }
            return
        }
        let descriptor = open(absolute(path), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW)
        guard descriptor >= 0 else { throw failure(path, "write") }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFREG else {
            close(descriptor)
            throw FileSystemError(path: path, action: "write", reason: "another process has replaced it with a file")
        }
        var reason = writeAll(bytes, to: descriptor)
        if close(descriptor) != 0, reason == 0 { reason = errno }
        guard reason == 0 else {
            throw FileSystemError(path: path, action: "write", reason: String(cString: strerror(reason)))
        }
    }

    /// Writes all bytes. Returns the `errno` of the failure, or 0.
    private func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        bytes.withUnsafeBytes { buffer in
            var written = 0
            while written < buffer.count, let start = buffer.baseAddress {
                let count = systemWrite(descriptor, buffer: start + written, count: buffer.count - written)
                if count < 0, errno == EINTR { continue }
                if count <= 0 { return errno }
                written += count
            }
            return 0
        }
    }

    /// Gives a file its final name, unless that name is taken.
    package func place(_ path: String, at newPath: String) throws(FileSystemError) -> Bool {
        if Self.renameSpecially(absolute(path), newPath: absolute(newPath), kind: .withoutReplacing) { return true }
        if errno == EEXIST { return false }
        // Not every system and file system supports such a rename.
        if systemLink(absolute(path), absolute(newPath)) == 0 {
            unlink(absolute(path))
            return true
        }
        if errno == EEXIST { return false }
        guard Self.linkIsUnsupported(errno) else { throw failure(newPath, "write") }
        var status = stat()
        if lstat(absolute(newPath), &status) == 0 { return false }
        guard systemRename(absolute(path), absolute(newPath)) == 0 else { throw failure(newPath, "write") }
        return true
    }

    /// Adds a second name to a file, or renames it where hard links are unsupported.
    package func keep(_ path: String, as backup: String) throws(FileSystemError) {
        if systemLink(absolute(path), absolute(backup)) == 0 { return }
        guard Self.linkIsUnsupported(errno), systemRename(absolute(path), absolute(backup)) == 0 else {
            throw failure(path, "replace")
        }
    }

    private static func linkIsUnsupported(_ reason: Int32) -> Bool {
        [EPERM, EACCES, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK, EINVAL].contains(reason)
    }

    /// Renames a file or folder.
    package func rename(_ path: String, to newPath: String) throws(FileSystemError) {
        guard systemRename(absolute(path), absolute(newPath)) == 0 else { throw failure(newPath, "replace") }
    }

    /// Exchanges two folders in one step.
    package func exchange(_ path: String, _ other: String) -> Bool {
        Self.renameSpecially(absolute(path), newPath: absolute(other), kind: .exchanging)
    }

    /// The ways to rename that do not replace the file at the new path.
    private enum SpecialRename {
        case withoutReplacing
        case exchanging
    }

    #if canImport(Darwin)
    private static func renameSpecially(_ path: String, newPath: String, kind: SpecialRename) -> Bool {
        renamex_np(path, newPath, UInt32(kind == .exchanging ? RENAME_SWAP : RENAME_EXCL)) == 0
    }
    #else
    private static func renameSpecially(_ path: String, newPath: String, kind: SpecialRename) -> Bool {
        let flags = kind == .exchanging ? modelc_rename_exchange : modelc_rename_noreplace
        return modelc_rename(path, newPath, flags) == 0
    }
    #endif

    /// Removes a file, or a symbolic link itself.
    package func remove(_ path: String) throws(FileSystemError) {
        guard unlink(absolute(path)) == 0 else { throw failure(path, "remove") }
    }

    package func removeEmptyDirectory(_ path: String) {
        _ = rmdir(absolute(path))
    }

    /// Removes a file, or a folder with its contents.
    package func removeTree(_ path: String) {
        removeEntry(absolute(path), in: AT_FDCWD, depth: 0)
    }

    /// Removes an entry of an open folder. Descends by descriptor, so that a link that another process puts there
    /// cannot lead elsewhere.
    private func removeEntry(_ name: String, in parent: Int32, depth: Int) {
        if unlinkat(parent, name, 0) == 0 || depth > 64 { return }
        let descriptor = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        guard let directory = fdopendir(descriptor) else {
            close(descriptor)
            return
        }
        for inner in Self.names({ readdir(directory) }) { removeEntry(inner, in: descriptor, depth: depth + 1) }
        closedir(directory)
        unlinkat(parent, name, Int32(AT_REMOVEDIR))
    }

    /// Acquires the lock of a folder.
    package func lock(folder path: String) throws(FileSystemError) -> FolderLock? {
        try FolderLock.take(absolute(path.isEmpty ? "." : path), shownAs: path)
    }

    /// Returns whether a process holds a folder's lock.
    package func isLocked(folder path: String) -> Bool { FolderLock.isTaken(absolute(path)) }
}

// Inside the type, its methods shadow the system's functions of the same names.
private func systemWrite(_ descriptor: Int32, buffer: UnsafeRawPointer, count: Int) -> Int {
    write(descriptor, buffer, count)
}

private func systemRename(_ path: String, _ newPath: String) -> Int32 {
    rename(path, newPath)
}

private func systemLink(_ path: String, _ newPath: String) -> Int32 {
    link(path, newPath)
}
