internal import CLibrary

/// An advisory lock on a folder, which only modelc's own processes and threads respect. It leaves nothing on disk, and
/// is released when the process ends.
package final class FolderLock: Sendable {
    private let descriptor: Int32

    /// The maximum time to wait for another process, in microseconds.
    private static let patience = 30_000_000

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Acquires the lock of the folder at a path, which is absolute or relative to the process's working directory; see
    /// `FileSystem.lock(folder:)`.
    static func take(_ path: String, shownAs shownPath: String) throws(FileSystemError) -> FolderLock? {
        var waited = 0
        while true {
            let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
                // The previous holder of the lock may have replaced the folder.
                if isStill(descriptor, at: path) { return FolderLock(descriptor: descriptor) }
                close(descriptor)
                continue
            }
            let isTaken = errno == EWOULDBLOCK || errno == EINTR
            close(descriptor)
            guard isTaken else { return nil }
            guard waited < patience, !SignalShield.isHoldingOne else {
                throw FileSystemError(
                    path: shownPath, action: "write", reason: "another modelc process is writing to the folder")
            }
            let pause = min(1000 + waited / 10, 50_000)
            usleep(UInt32(pause))
            waited += pause
        }
    }

    /// Returns whether the lock of the folder at a path is taken.
    static func isTaken(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    private static func isStill(_ descriptor: Int32, at path: String) -> Bool {
        var (locked, named) = (stat(), stat())
        return fstat(descriptor, &locked) == 0 && stat(path, &named) == 0 && locked.st_ino == named.st_ino
            && locked.st_dev == named.st_dev
    }
}
