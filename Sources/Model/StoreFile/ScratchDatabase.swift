internal import CLibrary
internal import CSQLite3

/// A copy of a database with its journal and log, in a temporary folder.
struct ScratchDatabase {
    private struct State {
        /// The folders that exist.
        var folders: Set<String> = []
        /// Whether the process ends, and no more copies are made.
        var isEnding = false
    }

    private static let state = Locked(State())

    /// The folder for temporary files that the environment names.
    private static var temporaryFolder: String {
        guard let folder = getenv("TMPDIR").map({ String(cString: $0) }), !folder.isEmpty else { return "/tmp" }
        return folder
    }

    private let folder: String
    /// The path of the copy.
    var path: String { folder + "/database" }

    /// Copies a database.
    ///
    /// - Parameter files: The files of an open database.
    init(copying files: DatabaseFiles) throws(DatabaseInspection.Failure) {
        let created = Self.state.withLock { state -> String? in
            var template = Array((Self.temporaryFolder + "/modelc-XXXXXX").utf8CString)
            guard !state.isEnding, mkdtemp(&template) != nil else { return nil }
            let folder = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } } ?? ""
            state.folders.insert(folder)
            return folder
        }
        guard let created else { throw Self.failure("a scratch folder cannot be created") }
        folder = created
        do throws(DatabaseInspection.Failure) {
            try Self.write(to: path, count: files.size) { offset, count throws(DatabaseInspection.Failure) in
                try files.bytes(at: offset, count: count)
            }
            try Self.copy(files.journal, to: path + "-journal")
            try Self.copy(files.log, to: path + "-wal")
        } catch {
            remove()
            throw error
        }
    }

    /// Removes the copy.
    func remove() {
        _ = Self.removeFiles(in: folder)
        _ = Self.state.withLock { $0.folders.remove(folder) }
    }

    /// Removes all copies of the process, which a signal ends.
    static func removeAll() {
        let folders = state.withLock { state in
            state.isEnding = true
            return state.folders
        }
        for folder in folders {
            // Another thread may still create files there.
            for _ in 0..<100 where !removeFiles(in: folder) { usleep(1000) }
        }
    }

    /// Returns whether the folder does not exist any more.
    private static func removeFiles(in folder: String) -> Bool {
        for suffix in ["", "-journal", "-wal", "-shm"] { unlink(folder + "/database" + suffix) }
        return rmdir(folder) == 0 || errno == ENOENT
    }

    private static func failure(_ what: String) -> DatabaseInspection.Failure {
        DatabaseInspection.Failure(code: SQLITE_IOERR, message: "\(what): \(String(cString: strerror(errno)))")
    }

    private static let step: Int64 = 1 << 20

    private static func write(
        to path: String, count: Int64,
        _ read: (Int64, Int32) throws(DatabaseInspection.Failure) -> [UInt8]
    ) throws(DatabaseInspection.Failure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("a scratch file cannot be created") }
        defer { close(descriptor) }
        var offset: Int64 = 0
        while offset < count {
            let bytes = try read(offset, Int32(min(step, count - offset)))
            guard !bytes.isEmpty, pwrite(descriptor, bytes, bytes.count, off_t(offset)) == bytes.count else {
                throw failure("a scratch file cannot be written")
            }
            offset += Int64(bytes.count)
        }
    }

    /// Copies a file that has no locks. A no-op if it does not exist.
    private static func copy(_ source: String, to target: String) throws(DatabaseInspection.Failure) {
        let descriptor = open(source, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let count = Int64(lseek(descriptor, 0, SEEK_END))
        try write(to: target, count: count) { offset, count in
            var bytes = [UInt8](repeating: 0, count: Int(count))
            bytes.removeLast(bytes.count - max(pread(descriptor, &bytes, bytes.count, off_t(offset)), 0))
            return bytes
        }
    }
}
