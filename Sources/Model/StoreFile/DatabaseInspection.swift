internal import CSQLite3

/// A connection to a SQLite database that leaves no trace: the database, its log, its journal and the folder are
/// unchanged, byte for byte.
///
/// SQLite itself offers no such connection. A read-only connection to a database with a write-ahead log creates `-wal`
/// and `-shm` files, and an immutable one ignores the log. The kind of connection therefore depends on the files beside
/// the database:
///
/// - none: an immutable connection for a database in WAL mode, and a read-only one, which takes locks, for other modes;
/// - a log that no connection uses: exclusive mode, which keeps the log's index in memory, without the checkpoint at
///   the end;
/// - a log in use: a read-only connection, because the files that it would create exist;
/// - a journal left by a crash, a log beside a file that cannot be locked, or a log whose index is missing and cannot
///   be created: a copy in a scratch folder.
///
/// An immutable connection takes no locks: a connection that starts to write meanwhile is not noticed, and what is read
/// then belongs to no single state. Callers that need one state check `isConsistent` after reading, even if reading has
/// failed.
package final class DatabaseInspection {
    /// SQLite's connection.
    package let handle: OpaquePointer
    private let scratch: ScratchDatabase?
    /// The files as they were before an immutable connection read them; `nil` for connections with locks, and for
    /// copies.
    private let stamp: DatabaseFiles.Stamp?

    /// The options for inspecting a database.
    package struct Options: Sendable {
        /// The maximum time to wait for other connections, in milliseconds.
        package var timeout: Int32 = 2000
        /// SQLite's file system layer; `nil` for the default.
        package var vfs: String?

        package init() {}
    }

    /// The reason why a database cannot be inspected.
    package struct Failure: Error {
        /// SQLite's extended result code.
        package var code: Int32
        /// SQLite's message.
        package var message: String
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

    private typealias Connection = (handle: OpaquePointer, scratch: ScratchDatabase?, stamp: DatabaseFiles.Stamp?)

    private static func connect(_ path: String, _ options: Options) throws(Failure) -> Connection {
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
        _ path: String, options: Options, flags: Int32 = SQLITE_OPEN_READONLY,
        configure: (OpaquePointer) -> Void = { _ in }
    ) throws(Failure) -> OpaquePointer {
        let handle = try open(path, flags: flags, parameters: nil, options: options)
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
        guard code == SQLITE_OK else {
            throw Failure(code: code, message: String(cString: sqlite3_errmsg(handle)))
        }
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
