internal import CLibrary
internal import CSQLite3

/// The files of a database, read through an open connection.
///
/// They are never opened separately from SQLite: closing such a descriptor would release all locks that this process
/// has on the database.
package struct DatabaseFiles {
    private let handle: OpaquePointer
    private let database: UnsafePointer<CChar>

    init(_ handle: OpaquePointer) {
        self.handle = handle
        database = sqlite3_db_filename(handle, "main")
    }

    /// The path of the journal.
    var journal: String { String(cString: sqlite3_filename_journal(database)) }

    /// The path of the write-ahead log.
    var log: String { String(cString: sqlite3_filename_wal(database)) }

    /// Whether there is a nonempty write-ahead log.
    var hasLog: Bool { exists(sqlite3_filename_wal(database)) }

    /// Whether there is a nonempty journal.
    var hasJournal: Bool { exists(sqlite3_filename_journal(database)) }

    /// Whether there is a journal that SQLite would roll back if no process were writing.
    ///
    /// The header of a journal is zero until the first change of the database, and after a transaction.
    var hasHotJournal: Bool {
        Self.unlockedPrefix(of: journal, count: 1).map { $0 != [0] } ?? false
    }

    /// Whether a process has begun to write in a database that is not in WAL mode. Takes no lock.
    var isReserved: Bool {
        var result: Int32 = 0
        guard let file, file.pointee.pMethods.pointee.xCheckReservedLock(file, &result) == SQLITE_OK else {
            return false
        }
        return result != 0
    }

    /// What changes when the database is written, or its log is emptied. What is appended to the log does not count:
    /// it belongs to later states.
    struct Stamp: Equatable, Sendable {
        fileprivate let database: FileStatus.Stamp?
        /// The change counter in the header, and the size in pages.
        private let header: [UInt8]?
        private let log: FileStatus.Identity?
        /// The header of the log, with numbers that differ after it was emptied.
        private let logHeader: [UInt8]?

        fileprivate init(_ files: DatabaseFiles) {
            database = FileStatus.Stamp(String(cString: files.database))
            header = try? files.bytes(at: 24, count: 8)
            log = files.hasLog ? FileStatus.identity(files.log) : nil
            logHeader = DatabaseFiles.unlockedPrefix(of: files.log, count: 32)
        }
    }

    /// The stamp of the files as they are now.
    var stamp: Stamp { Stamp(self) }

    /// The stamp of the files, from which that after any later change differs: the times of files have the precision of
    /// the system's ticks.
    var settledStamp: Stamp {
        let stamp = stamp
        guard let age = stamp.database?.age, age >= 0, age <= Self.tick else { return stamp }
        usleep(UInt32(Self.tick - age) / 1000 + 1)
        return self.stamp
    }

    /// The longest tick, in nanoseconds.
    private static let tick: Int64 = 10_000_000

    /// Returns the first bytes of a file on which SQLite takes no locks; `nil` if it is empty or cannot be read.
    private static func unlockedPrefix(of path: String, count: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: count)
        let length = pread(descriptor, &bytes, count, 0)
        return length > 0 ? Array(bytes[..<length]) : nil
    }

    /// Returns whether a file exists and is not empty, as SQLite checks.
    private func exists(_ path: UnsafePointer<CChar>?) -> Bool {
        var vfs: UnsafeMutablePointer<sqlite3_vfs>?
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_VFS_POINTER, &vfs)
        var result: Int32 = 0
        guard let vfs, vfs.pointee.xAccess(vfs, path, SQLITE_ACCESS_EXISTS, &result) == SQLITE_OK else { return false }
        return result != 0
    }

    /// Returns the first bytes of a file, which need not be a database: fewer if it is shorter, nil if it cannot be
    /// read.
    ///
    /// If a connection of this process has the file open, its locks stay.
    package static func prefix(of path: String, count: Int) -> [UInt8]? {
        var handle: OpaquePointer?
        defer { sqlite3_close_v2(handle) }
        let name = "file:" + DatabaseURI.escaped(path)
        let code = sqlite3_open_v2(
            name, &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let handle else { return nil }
        let files = DatabaseFiles(handle)
        return try? files.bytes(at: 0, count: Int32(min(Int64(count), files.size)))
    }

    /// Whether the header says that the database is in WAL mode.
    var isInLogMode: Bool { (try? bytes(at: 0, count: 20)).map(DatabaseHeader.isInLogMode) ?? false }

    /// The size of the database in bytes.
    var size: Int64 {
        var size: Int64 = 0
        guard let file, file.pointee.pMethods.pointee.xFileSize(file, &size) == SQLITE_OK else { return 0 }
        return size
    }

    func bytes(at offset: Int64, count: Int32) throws(DatabaseInspection.Failure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(count))
        guard let file else { throw DatabaseInspection.Failure(code: SQLITE_ERROR, message: "no file") }
        let code = file.pointee.pMethods.pointee.xRead(file, &bytes, count, offset)
        guard code == SQLITE_OK else {
            throw DatabaseInspection.Failure(code: code, message: String(cString: sqlite3_errstr(code)))
        }
        return bytes
    }

    private var file: UnsafeMutablePointer<sqlite3_file>? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        return file
    }
}
