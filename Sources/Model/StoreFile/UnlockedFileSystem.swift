internal import CLibrary
internal import CSQLite3

/// SQLite's default file system layer without locks, and without any way to change a database: databases, logs and
/// journals are opened for reading only, never created and never deleted.
///
/// The files are those of the default layer, so that closing one keeps the locks that this process has on it through
/// other connections.
enum UnlockedFileSystem {
    /// The name under which SQLite knows the layer; `nil` if it cannot be registered.
    static let name: String? = {
        guard let base = sqlite3_vfs_find(nil), let name = strdup("modelc-unlocked") else { return nil }
        // SQLite keeps the pointer as long as the process runs.
        let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        layer.initialize(to: base.pointee)
        layer.pointee.pNext = nil
        layer.pointee.zName = UnsafePointer(name)
        layer.pointee.xOpen = { _, name, file, flags, output in
            UnlockedFileSystem.open(name, as: file, flags: flags, output: output)
        }
        layer.pointee.xDelete = { _, _, _ in SQLITE_READONLY }
        return sqlite3_vfs_register(layer, 0) == SQLITE_OK ? String(cString: name) : nil
    }()

    private static let stored =
        SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL

    private static func open(
        _ name: UnsafePointer<CChar>?, as file: UnsafeMutablePointer<sqlite3_file>?, flags: Int32,
        output: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        guard let base = sqlite3_vfs_find(nil) else { return SQLITE_ERROR }
        // Temporary files, of sorting for example, are not of the database.
        guard flags & stored != 0 else { return base.pointee.xOpen(base, name, file, flags, output) }
        let reading = flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_DELETEONCLOSE)
        let code = base.pointee.xOpen(base, name, file, reading | SQLITE_OPEN_READONLY, output)
        if code == SQLITE_OK, flags & SQLITE_OPEN_MAIN_DB != 0, let file, let methods = file.pointee.pMethods {
            file.pointee.pMethods = unlocked(methods)
        }
        return code
    }

    /// A table of functions for files, which SQLite refers to as long as the process runs.
    private struct Methods: @unchecked Sendable {
        let pointer: UnsafePointer<sqlite3_io_methods>
    }

    /// The tables without locks, by those that they replace: one for each kind of file system.
    private static let tables = Locked<[UInt: Methods]>([:])

    private static func unlocked(_ methods: UnsafePointer<sqlite3_io_methods>) -> UnsafePointer<sqlite3_io_methods> {
        tables.withLock { tables in
            if let known = tables[UInt(bitPattern: methods)] { return known.pointer }
            let copy = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
            copy.initialize(to: methods.pointee)
            // The first version has neither shared memory for the index of a log nor mapped files, which another
            // process could truncate.
            copy.pointee.iVersion = 1
            copy.pointee.xLock = { _, _ in SQLITE_OK }
            copy.pointee.xUnlock = { _, _ in SQLITE_OK }
            tables[UInt(bitPattern: methods)] = Methods(pointer: copy)
            return UnsafePointer(copy)
        }
    }
}
