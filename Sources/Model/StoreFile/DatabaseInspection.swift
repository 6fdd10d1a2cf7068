internal import CLibrary
internal import CSQLite3

/// A connection to a SQLite database that leaves no trace: the database, its log, its journal and the folder are
/// unchanged, byte for byte.
///
/// SQLite itself offers no such connection. A read-only connection to a database with a write-ahead log creates `-wal`
/// and `-shm` files, and an immutable one ignores the log. The kind of connection therefore depends on
/// `Options.access` and on the files beside the database.
///
/// A connection without locks does not keep other processes from writing: what is read then belongs to no single state.
/// Callers that need one state use `readOneState(of:_:)`, or check `isConsistent` after reading, even if reading has
/// failed.
package final class DatabaseInspection {
    /// SQLite's connection.
    package let handle: OpaquePointer
    private let scratch: ScratchDatabase?
    /// The files as they were before a connection without locks read them; `nil` for connections with locks, and for
    /// copies.
    private let stamp: DatabaseFiles.Stamp?

    /// Which locks a connection takes.
    package enum Access: Sendable {
        /// None, so that no other connection has to wait.
        ///
        /// - no log: an immutable connection;
        /// - a log, whether it is in use or left behind: a connection with an index of the log in memory, through
        ///   `UnlockedFileSystem`;
        /// - a journal that a crash has left: a copy in a scratch folder, in which SQLite rolls it back. If a process
        ///   is just writing, the connection waits for the end of the transaction.
        case unlocked
        /// As `unlocked`, except for a log in use: a reading transaction, which lets other processes write. A log in
        /// use stays beside the database if the other connections are closed first.
        case sharedLog
        /// Those of any reader.
        ///
        /// - no log: an immutable connection for a database in WAL mode, and a read-only one for other modes;
        /// - a log that no connection uses: exclusive mode, which keeps the log's index in memory, without the
        ///   checkpoint at the end;
        /// - a log in use: a read-only connection, because the files that it would create exist;
        /// - a journal left by a crash, a log beside a file that cannot be locked, or a log whose index is missing and
        ///   cannot be created: a copy in a scratch folder.
        case locking
    }

    /// The options for inspecting a database.
    package struct Options: Sendable {
        /// The locks that the connection takes.
        package var access = Access.unlocked
        /// The maximum time to wait for other connections, in milliseconds.
        package var timeout: Int32 = 2000
        /// SQLite's file system layer for access with locks; `nil` for the default.
        package var vfs: String?

        package init() {}
    }

    /// The reason why a database cannot be inspected.
    package struct Failure: Error {
        /// SQLite's extended result code.
        package var code: Int32
        /// SQLite's message.
        package var message: String

        package init(code: Int32, message: String) {
            self.code = code
            self.message = message
        }

        /// Creates the failure of a call, with the message of its connection.
        package init(_ code: Int32, on handle: OpaquePointer) {
            self.init(code: code, message: String(cString: sqlite3_errmsg(handle)))
        }
    }

    /// Opens an existing database and reads its schema.
    ///
    /// - Throws: `Failure` if there is no regular file at the path, or it is not a database that SQLite can read.
    package init(path: String, _ options: Options = Options()) throws(Failure) {
        guard FileStatus.isRegularFile(path) else {
            throw Failure(code: SQLITE_CANTOPEN, message: "there is no regular file at this path")
        }
        (handle, scratch, stamp) = try Self.connect(path, options)
    }

    deinit {
        sqlite3_close_v2(handle)
        scratch?.remove()
    }

    /// Removes the copies of databases in scratch folders: for the end of the process by a signal, after which no
    /// connection is used.
    package static func removeCopies() { ScratchDatabase.removeAll() }

    /// Whether a copy is read, in which SQLite has rolled back a journal or recovered a log.
    package var isCopy: Bool { scratch != nil }

    /// Whether everything that was read belongs to one state of the database: in a transaction, if the connection takes
    /// locks, or because the files are as they were when the connection was opened.
    package var isConsistent: Bool { stamp.map { $0 == DatabaseFiles(handle).stamp } ?? true }

    /// Whether the database is in WAL mode.
    package var isInLogMode: Bool { DatabaseFiles(handle).isInLogMode }

    /// Returns whether a database is in WAL mode, from its header alone: nothing is copied, regardless of the files
    /// beside the file.
    ///
    /// - Returns: `nil` if there is no database at the path, or its header cannot be read.
    package static func isInLogMode(path: String) -> Bool? {
        guard FileStatus.isRegularFile(path), let header = DatabaseFiles.prefix(of: path, count: 20),
            DatabaseHeader.begins(header)
        else { return nil }
        return DatabaseHeader.isInLogMode(header)
    }

    /// Whether another connection has locked the database against readers. Waits for as long as the timeout of the
    /// options.
    package var isLocked: Bool {
        do throws(Failure) {
            try Self.readSchema(handle)
            return false
        } catch {
            return error.isBusy
        }
    }

    /// Returns whether another connection has locked a database in WAL mode against readers. Unlike connections with
    /// locks, it keeps no other connection from opening the database.
    package static func isLogLocked(path: String) -> Bool {
        var options = Options()
        options.timeout = 0
        do throws(Failure) {
            let immutable = try open(path, flags: SQLITE_OPEN_READONLY, parameters: "immutable=1", options: options)
            defer { sqlite3_close_v2(immutable) }
            // Where there is no log, SQLite would create one.
            if DatabaseFiles(immutable).hasLog { sqlite3_close_v2(try openedSharing(path, options)) }
            return false
        } catch {
            return error.isBusy
        }
    }

    private typealias Connection = (handle: OpaquePointer, scratch: ScratchDatabase?, stamp: DatabaseFiles.Stamp?)

    private static func connect(_ path: String, _ options: Options) throws(Failure) -> Connection {
        options.access == .locking ? try lockingConnection(path, options) : try unlockedConnection(path, options)
    }

    private static func unlockedConnection(_ path: String, _ options: Options) throws(Failure) -> Connection {
        guard let layer = UnlockedFileSystem.name else {
            throw Failure(code: SQLITE_ERROR, message: "SQLite's file system layer cannot be registered")
        }
        var options = options
        options.vfs = layer
        var waited: Int32 = 0
        while true {
            do throws(Failure) {
                return try unlockedConnectionNow(path, options)
            } catch {
                // Transactions end soon.
                guard error.isBusy, waited < options.timeout else { throw error }
                usleep(10_000)
                waited += 10
            }
        }
    }

    /// Returns a connection without locks; fails if a transaction is being written.
    private static func unlockedConnectionNow(_ path: String, _ options: Options) throws(Failure) -> Connection {
        let immutable = try open(path, flags: SQLITE_OPEN_READONLY, parameters: "immutable=1", options: options)
        var isUsed = false
        defer { if !isUsed { sqlite3_close_v2(immutable) } }
        let files = DatabaseFiles(immutable)
        let stamp = files.settledStamp
        if files.size > 0 {
            let isHot = files.hasHotJournal
            if isHot || !files.isInLogMode, files.isReserved, isHot || !files.hasJournal {
                // The file may have a part of the transaction: its journal is in use, or in memory.
                throw Failure(code: SQLITE_BUSY, message: "another process is writing")
            }
            if isHot { return try copy(files, stamp) }
        }
        do throws(Failure) {
            if files.hasLog, files.size > 0 {
                if options.access == .sharedLog, let shared = sharedLog(path, options) { return (shared, nil, nil) }
                return (try openedWithLog(path, options), nil, stamp)
            }
            try readSchema(immutable)
            isUsed = true
            return (immutable, nil, stamp)
        } catch {
            guard files.stamp == stamp else {
                throw Failure(code: SQLITE_BUSY, message: "the database has changed while it was opened")
            }
            guard error.isUnrecovered, files.hasLog || files.hasJournal else { throw error }
            return try copy(files, stamp)
        }
    }

    /// Returns a connection without locks that keeps the index of the log in memory.
    private static func openedWithLog(_ path: String, _ options: Options) throws(Failure) -> OpaquePointer {
        try opened(path, options: options) { handle in
            modelc_sqlite3_disable_checkpoint_on_close(handle)
            sqlite3_exec(handle, "PRAGMA locking_mode = EXCLUSIVE", nil, nil, nil)
        }
    }

    /// Returns a connection to a log that other processes use; `nil` if it is not in use.
    private static func sharedLog(_ path: String, _ options: Options) -> OpaquePointer? {
        var options = options
        options.vfs = nil
        return try? openedSharing(path, options)
    }

    /// Returns a connection to a log whose index exists.
    private static func openedSharing(_ path: String, _ options: Options) throws(Failure) -> OpaquePointer {
        try opened(path, options: options, parameters: "readonly_shm=1") {
            // Otherwise, the last connection locks out other processes while it is closed.
            modelc_sqlite3_disable_checkpoint_on_close($0)
        }
    }

    private static func lockingConnection(_ path: String, _ options: Options) throws(Failure) -> Connection {
        let unlocked = try open(path, flags: SQLITE_OPEN_READONLY, parameters: "immutable=1", options: options)
        var isUsed = false
        defer { if !isUsed { sqlite3_close_v2(unlocked) } }
        let files = DatabaseFiles(unlocked)
        let stamp = files.stamp
        // SQLite deletes the log of an empty database.
        if files.size == 0 || !files.hasLog && !files.hasJournal && files.isInLogMode {
            do throws(Failure) {
                try readSchema(unlocked)
                isUsed = true
                return (unlocked, nil, stamp)
            } catch {
                // A connection that has started to write meanwhile has created a log.
                guard files.hasLog, files.size > 0 else { throw error }
            }
        }
        var failure: Failure?
        do throws(Failure) {
            return (try files.hasLog ? opened(path, exclusively: options) : opened(path, options: options), nil, nil)
        } catch {
            failure = error
        }
        if files.hasLog, failure?.isBusy == true || !FileStatus.isWritable(folderOf: path) {
            do throws(Failure) {
                return (try opened(path, options: options), nil, nil)
            } catch {
                // In a folder that cannot be written, the log's index can neither be read nor created.
                failure = error
            }
        }
        guard let failure, failure.isUnrecovered else { throw failure ?? Failure(code: SQLITE_ERROR, message: "") }
        return try copy(files, stamp)
    }

    /// Returns a connection to a copy of the files.
    private static func copy(_ files: DatabaseFiles, _ stamp: DatabaseFiles.Stamp) throws(Failure) -> Connection {
        let scratch = try ScratchDatabase(copying: files)
        guard files.stamp == stamp else {
            scratch.remove()
            throw Failure(code: SQLITE_BUSY, message: "the database has changed while it was copied")
        }
        do throws(Failure) {
            let copy = try open(scratch.path, flags: SQLITE_OPEN_READWRITE, parameters: nil, options: Options())
            do throws(Failure) {
                try readSchema(copy)
                return (copy, scratch, nil)
            } catch {
                sqlite3_close_v2(copy)
                throw error
            }
        } catch {
            scratch.remove()
            throw error
        }
    }

    /// Returns a connection that keeps the index of the log in memory. Fails immediately if another connection is open.
    private static func opened(_ path: String, exclusively options: Options) throws(Failure) -> OpaquePointer {
        var options = options
        options.timeout = 0
        return try opened(path, options: options, flags: SQLITE_OPEN_READWRITE) { handle in
            modelc_sqlite3_disable_checkpoint_on_close(handle)
            sqlite3_exec(handle, "PRAGMA locking_mode = EXCLUSIVE", nil, nil, nil)
        }
    }

    private static func opened(
        _ path: String, options: Options, flags: Int32 = SQLITE_OPEN_READONLY, parameters: String? = nil,
        configure: (OpaquePointer) -> Void = { _ in }
    ) throws(Failure) -> OpaquePointer {
        let handle = try open(path, flags: flags, parameters: parameters, options: options)
        configure(handle)
        do throws(Failure) {
            try readSchema(handle)
        } catch {
            sqlite3_close_v2(handle)
            throw error
        }
        return handle
    }

    private static func open(
        _ path: String, flags: Int32, parameters: String?, options: Options
    ) throws(Failure) -> OpaquePointer {
        let uri = "file:" + DatabaseURI.escaped(path) + (parameters.map { "?" + $0 } ?? "")
        var opened: OpaquePointer?
        let all = flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(uri, &opened, all, options.vfs)
        guard code == SQLITE_OK, let opened else {
            let message = opened.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
            sqlite3_close_v2(opened)
            throw Failure(code: code, message: message)
        }
        sqlite3_busy_timeout(opened, options.timeout)
        return opened
    }

    private static func readSchema(_ handle: OpaquePointer) throws(Failure) {
        let code = sqlite3_exec(handle, "SELECT count(*) FROM sqlite_master", nil, nil, nil)
        guard code == SQLITE_OK else { throw Failure(code, on: handle) }
    }
}

extension DatabaseInspection {
    /// Reads one state of a database: again if it changes while it is read without locks.
    ///
    /// - Parameters:
    ///   - access: The access for the first readings.
    ///   - open: Opens the database, with the access that is passed to it.
    ///   - isConsistent: Returns whether everything that was read belongs to one state.
    ///   - body: Reads the database. What it returns or throws counts only if it has read one state.
    /// - Returns: `nil` if the database changes again and again.
    package static func readOneState<Reader, Value, Problem: Error>(
        access: Access = .unlocked, open: (Access) throws(Problem) -> Reader, isConsistent: (Reader) -> Bool,
        _ body: (Reader) throws(Problem) -> Value
    ) throws(Problem) -> Value? {
        for attempt in 0..<5 {
            // Apps empty a log so often that only a transaction can read all of a large store.
            let reader = try open(attempt < 2 ? access : .sharedLog)
            let outcome: Result<Value, Problem>
            do throws(Problem) {
                outcome = .success(try body(reader))
            } catch {
                // Pages of two states can look like damage.
                outcome = .failure(error)
            }
            if isConsistent(reader) { return try outcome.get() }
        }
        return nil
    }
}

extension DatabaseInspection.Failure {
    /// Whether another connection has locked the database.
    package var isBusy: Bool { [SQLITE_BUSY, SQLITE_LOCKED].contains(code & 0xFF) }

    /// Whether the file would have to be written first, to roll back a journal or to create a log's index.
    fileprivate var isUnrecovered: Bool {
        [SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_IOERR, SQLITE_PERM].contains(code & 0xFF)
    }
}
