internal import CLibrary
internal import CSQLite3
internal import CoreData
internal import Foundation
internal import StoreFile

/// Copies of a store's database.
package enum StoreSnapshot {
    /// Copies one state of a database, log included, page by page. The original may be in use; it stays as it is. The
    /// owner can write the copy, even of a file that is read-only.
    ///
    /// - Parameters:
    ///   - path: The path of the store.
    ///   - target: The path of the copy, at which there is no file.
    ///   - withFiles: Whether the external files are copied, too.
    /// - Throws: `StoreDoctor.Failure` if the store cannot be read, or the copy cannot be written.
    package static func copy(
        _ path: String, to target: String, withFiles: Bool = true
    ) throws(StoreDoctor.Failure) {
        do {
            try DoctorDatabase.readOneState(of: path) { source in
                try? FileManager.default.removeItem(atPath: target)
                try copy(source, to: target)
            }
            if withFiles { try copyExternalFiles(of: path, to: target) }
        } catch {
            throw StoreDoctor.changeFailure(error)
        }
        setMode(of: target, like: path, isWritable: true)
    }

    /// Copies the database of a connection to a new file.
    static func copy(_ source: DoctorDatabase, to target: String) throws(DoctorDatabase.Failure) {
        try copy(source, over: try DoctorDatabase(changing: target, creates: true))
    }

    /// Replaces the content of a database by that of another, in one transaction.
    static func copy(_ source: DoctorDatabase, over copy: DoctorDatabase) throws(DoctorDatabase.Failure) {
        guard let backup = sqlite3_backup_init(copy.handle, "main", source.handle, "main") else {
            throw copy.failure(sqlite3_extended_errcode(copy.handle))
        }
        // All pages in one step: the original cannot change in between.
        let code = sqlite3_backup_step(backup, -1)
        let end = sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE, end == SQLITE_OK else {
            throw DoctorDatabase.Failure(
                code: code == SQLITE_DONE ? end : code,
                message: String(cString: sqlite3_errstr(code == SQLITE_DONE ? end : code)))
        }
    }

    /// Sets the permissions of a file to those of another, or of the file that a link refers to.
    ///
    /// - Parameter isWritable: Whether the owner can write the file in any case, because it is still to be changed.
    package static func setMode(of target: String, like path: String, isWritable: Bool = false) {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        chmod(target, status.st_mode & 0o7777 | (isWritable ? S_IRUSR | S_IWUSR : 0))
    }

    /// Copies the external files that a copy's rows refer to: as hard links if possible, since Core Data never changes
    /// such a file. Files that are missing stay missing.
    static func copyExternalFiles(of path: String, to target: String) throws {
        let source = StoreLayout.externalFolder(ofStoreAt: path)
        let folder = StoreLayout.externalFolder(ofStoreAt: target)
        let names = try ExternalReferences.names(in: try DoctorDatabase(changing: target))
            .filter { FileStatus.isRegularFile("\(source)/\($0)") }
        guard !names.isEmpty else { return }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for name in names.sorted() {
            try copyFile("\(source)/\(name)", to: "\(folder)/\(name)")
        }
        try synchronize(folder)
    }

    /// Links or copies a file to another path.
    static func copyFile(_ path: String, to target: String) throws {
        do {
            try FileManager.default.linkItem(atPath: path, toPath: target)
        } catch {
            try FileManager.default.copyItem(atPath: path, toPath: target)
            try synchronize(target)
        }
    }

    /// Writes the content of a file, or the names in a folder, to the disk.
    ///
    /// - Throws: If the disk reports an error.
    package static func synchronize(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        defer { close(descriptor) }
        // Not every file system can do that with a folder.
        guard fsync(descriptor) == 0 || errno == EINVAL else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }
}

/// The references to external files in a store's rows.
enum ExternalReferences {
    /// Returns the names of the files. The model is not needed: a reference has a form that no other value has.
    ///
    /// - Parameter excluded: The conditions, by the keys of the tables' names, of rows `t` that do not count.
    static func names(
        in database: DoctorDatabase, except excluded: [String: String] = [:]
    ) throws(DoctorDatabase.Failure) -> Set<String> {
        var columns: [(table: String, column: String)] = []
        try database.forEach(
            """
            SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c \
            WHERE m.type = 'table' AND m.name LIKE 'Z%' AND m.sql NOT LIKE 'CREATE VIRTUAL TABLE%' AND upper(c.type) = 'BLOB'
            """
        ) { columns.append(($0.text(0), $0.text(1))) }
        var names: Set<String> = []
        for (table, column) in columns {
            let value = "t.\(SQLName.inQuotes(column))"
            let scope = excluded[SQLName.key(table)].map { " AND (\($0)) IS NOT TRUE" } ?? ""
            try database.forEach(
                "SELECT CAST(substr(\(value), 2, 36) AS TEXT) FROM \(SQLName.inQuotes(table)) AS t WHERE typeof(\(value)) = 'blob' "
                    + "AND \(ExternalName.isReference(value))\(scope)"
            ) { names.insert($0.text(0)) }
        }
        return names
    }
}

/// The exclusive use of a store by this process.
package final class ExclusiveStoreAccess {
    let database: DoctorDatabase
    /// The path of the file, without symbolic links.
    package let path: String

    /// Locks a store for all other connections. Its log stays as it is.
    ///
    /// - Throws: `StoreDoctor.Failure` of the kind `locked` if any other connection is open.
    package init(_ path: String) throws(StoreDoctor.Failure) {
        self.path = path
        let file = StoreFileStatus(path: path)
        // SQLite takes an empty file for a new database, and would write its first page.
        guard !file.isReadable || file.isDatabase else {
            throw StoreDoctor.Failure(kind: .notAStore, message: "the file is not a SQLite store of Core Data")
        }
        guard FileStatus.isWritable(folderOf: path) else {
            throw StoreDoctor.Failure(
                kind: .unchangeable, message: "the store cannot be written: its folder is read-only")
        }
        do throws(DoctorDatabase.Failure) {
            database = try DoctorDatabase(changing: path)
            modelc_sqlite3_disable_checkpoint_on_close(database.handle)
            sqlite3_busy_timeout(database.handle, 2000)
            // In this mode, locks are kept until the connection is closed.
            try database.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
        } catch {
            throw error.isBusy
                ? StoreDoctor.Failure(kind: .locked, message: "the store is in use")
                : StoreDoctor.changeFailure(error)
        }
    }

    /// Whether the store can be read.
    package var isReadable: Bool {
        (try? database.integer("SELECT count(*) FROM sqlite_master")).flatMap(\.self) != nil
    }

    /// Copies the store.
    ///
    /// - Parameter target: The path of the copy, at which there is no file.
    package func copy(to target: String) throws(StoreDoctor.Failure) {
        do throws(DoctorDatabase.Failure) {
            try StoreSnapshot.copy(database, to: target)
        } catch {
            throw StoreDoctor.changeFailure(error)
        }
        StoreSnapshot.setMode(of: target, like: path)
    }

    /// Replaces the content of the store by that of another database, in one transaction, and moves the log into the
    /// file.
    ///
    /// The file itself stays: an app that has opened it, and waits for the lock, finds the new content. Renaming
    /// another file to the path instead would separate the app's file from its log.
    ///
    /// - Parameters:
    ///   - path: The path of the other database, which nothing else uses.
    ///   - didWrite: Called when the log or journal has its full size.
    package func replaceContent(
        withDatabaseAt path: String, didWrite: () -> Void = {}
    ) throws(StoreDoctor.Failure) {
        do throws(DoctorDatabase.Failure) {
            try StoreSnapshot.copy(try DoctorDatabase(changing: path), over: database)
            didWrite()
        } catch {
            throw StoreDoctor.changeFailure(error)
        }
        // The transaction is complete: what is left in the log is read from there.
        try? database.checkpoint()
    }
}
