internal import CLibrary

/// The status of files.
package enum FileStatus {
    /// Returns whether there is a regular file, or a link to one.
    package static func isRegularFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Returns the size of a file in bytes, or `nil` if it does not exist.
    package static func size(_ path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// Returns the path of the file that links lead to; the same path if there is no file.
    package static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The identity of a file, regardless of its name.
    package struct Identity: Equatable, Sendable {
        private let device: UInt64
        private let inode: UInt64

        fileprivate init(_ status: stat) {
            device = UInt64(truncatingIfNeeded: status.st_dev)
            inode = UInt64(truncatingIfNeeded: status.st_ino)
        }
    }

    /// Returns the identity of the file at a path, or `nil`.
    package static func identity(_ path: String) -> Identity? {
        var status = stat()
        return stat(path, &status) == 0 ? Identity(status) : nil
    }

    /// What changes when a file is written or replaced.
    struct Stamp: Equatable, Sendable {
        private let identity: Identity
        private let size: Int64
        private let seconds: Int
        private let nanoseconds: Int

        /// Reads the stamp of a file; fails if it does not exist or is empty.
        init?(_ path: String) {
            var status = stat()
            guard stat(path, &status) == 0, status.st_size > 0 else { return nil }
            identity = Identity(status)
            size = Int64(status.st_size)
            #if canImport(Darwin)
            let time = status.st_mtimespec
            #else
            let time = status.st_mtim
            #endif
            (seconds, nanoseconds) = (Int(time.tv_sec), Int(time.tv_nsec))
        }

        /// The time since the file was written, in nanoseconds; `nil` for centuries.
        var age: Int64? {
            var now = timespec()
            guard clock_gettime(CLOCK_REALTIME, &now) == 0 else { return nil }
            let (age, overflow) = Int(now.tv_sec).subtractingReportingOverflow(seconds)
            guard !overflow, abs(age) < 1 << 32 else { return nil }
            return Int64(age) * 1_000_000_000 + Int64(now.tv_nsec) - Int64(nanoseconds)
        }
    }

    /// Returns whether files can be created beside a file.
    package static func isWritable(folderOf path: String) -> Bool {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        return access(folder, W_OK) == 0
    }
}
