import CSQLite3
import Foundation

/// An SQLite VFS that forwards everything to the default VFS and reports it to a `CrashRecorder`.
///
/// It is registered with a unique name; a store uses it through the internal option `SQLiteOptions.vfsOption`.
final class CrashVFS {
    let name: String
    private let vfs: UnsafeMutablePointer<sqlite3_vfs>
    private let recorder: CrashRecorder

    /// An open file: SQLite's structure and the record, followed by the default VFS's structure.
    private struct File {
        var base: sqlite3_file
        var record: Unmanaged<Record>?
    }

    private static let headerSize = 64

    /// The record of an open file.
    private final class Record {
        let recorder: CrashRecorder
        let path: String
        /// Whether the first synchronization also synchronizes the folder, as the default VFS does for new journals and
        /// logs.
        var synchronizesFolder: Bool

        init(_ recorder: CrashRecorder, _ path: String, synchronizesFolder: Bool) {
            self.recorder = recorder
            self.path = path
            self.synchronizesFolder = synchronizesFolder
        }
    }

    init?(_ recorder: CrashRecorder) {
        guard let base = sqlite3_vfs_find(nil) else { return nil }
        self.recorder = recorder
        name = "crash-\(UUID().uuidString)"
        vfs = .allocate(capacity: 1)
        vfs.initialize(to: base.pointee)
        vfs.pointee.pNext = nil
        vfs.pointee.iVersion = 2
        vfs.pointee.zName = UnsafePointer(strdup(name))
        vfs.pointee.szOsFile = Int32(Self.headerSize) + base.pointee.szOsFile
        vfs.pointee.pAppData = Unmanaged.passUnretained(recorder).toOpaque()
        vfs.pointee.xOpen = { vfs, name, file, flags, output in CrashVFS.open(vfs, name, file, flags, output) }
        vfs.pointee.xDelete = { vfs, name, synchronizes in CrashVFS.delete(vfs, name, synchronizes) }
        sqlite3_vfs_register(vfs, 0)
    }

    deinit {
        sqlite3_vfs_unregister(vfs)
        free(UnsafeMutableRawPointer(mutating: vfs.pointee.zName))
        vfs.deallocate()
    }

    private static func recorder(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> CrashRecorder? {
        (vfs?.pointee.pAppData).map { Unmanaged<CrashRecorder>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }

    private static func open(
        _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?,
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32, _ output: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        guard let file, let base = sqlite3_vfs_find(nil) else { return SQLITE_ERROR }
        file.withMemoryRebound(to: File.self, capacity: 1) {
            $0.initialize(to: File(base: sqlite3_file(), record: nil))
        }
        guard let inner = inner(file) else { return SQLITE_ERROR }
        inner.initialize(to: sqlite3_file())
        let code = base.pointee.xOpen(base, name, inner, flags, output)
        guard code == SQLITE_OK else { return code }
        file.pointee.pMethods = UnsafePointer(methods)
        let recorded = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL | SQLITE_OPEN_SUPER_JOURNAL
        if flags & recorded != 0, let name, let recorder = recorder(vfs),
            let path = recorder.path(String(cString: name))
        {
            let isNew = !recorder.has(path)
            if isNew { recorder.record(.create(path)) }
            let record = Record(recorder, path, synchronizesFolder: isNew && flags & SQLITE_OPEN_MAIN_DB == 0)
            file.withMemoryRebound(to: File.self, capacity: 1) { $0.pointee.record = .passRetained(record) }
        }
        return code
    }

    private static func delete(
        _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?, _ synchronizes: Int32
    ) -> Int32 {
        guard let name, let base = sqlite3_vfs_find(nil) else { return SQLITE_ERROR }
        let code = base.pointee.xDelete(base, name, 0)
        if code == SQLITE_OK, let recorder = recorder(vfs), let path = recorder.path(String(cString: name)) {
            recorder.record(.remove(path))
            if synchronizes != 0 { recorder.record(.synchronizeFolder(folder(of: path))) }
        }
        return code
    }

    // MARK: Open files

    private typealias FilePointer = UnsafeMutablePointer<sqlite3_file>

    private static func inner(_ file: FilePointer?) -> FilePointer? {
        file.map { (UnsafeMutableRawPointer($0) + headerSize).assumingMemoryBound(to: sqlite3_file.self) }
    }

    private static func record(_ file: FilePointer?) -> Record? {
        file?.withMemoryRebound(to: File.self, capacity: 1) { $0.pointee.record?.takeUnretainedValue() }
    }

    /// Calls a method of the default VFS.
    private static func call(_ file: FilePointer?, _ body: (sqlite3_io_methods, FilePointer) -> Int32) -> Int32 {
        guard let inner = inner(file), let methods = inner.pointee.pMethods else { return SQLITE_ERROR }
        return body(methods.pointee, inner)
    }

    // One table for all files, which never changes.
    nonisolated(unsafe) private static let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
        var methods = sqlite3_io_methods()
        // Version 2 has no memory mapping, which would bypass the write method.
        methods.iVersion = 2
        methods.xClose = { file in
            let code = CrashVFS.call(file) { $0.xClose($1) }
            file?.withMemoryRebound(to: File.self, capacity: 1) { $0.pointee.record?.release() }
            return code
        }
        methods.xRead = { file, bytes, count, offset in
            CrashVFS.call(file) { $0.xRead($1, bytes, count, offset) }
        }
        methods.xWrite = { file, bytes, count, offset in
            if let record = CrashVFS.record(file), let bytes {
                let content = [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(count)))
                record.recorder.record(.write(record.path, offset: Int(offset), content))
            }
            return CrashVFS.call(file) { $0.xWrite($1, bytes, count, offset) }
        }
        methods.xTruncate = { file, size in
            if let record = CrashVFS.record(file) { record.recorder.record(.truncate(record.path, size: Int(size))) }
            return CrashVFS.call(file) { $0.xTruncate($1, size) }
        }
        // There is no need to wait for the real disk.
        methods.xSync = { file, _ in
            guard let record = CrashVFS.record(file) else { return SQLITE_OK }
            record.recorder.record(.synchronize(record.path))
            if record.synchronizesFolder {
                record.recorder.record(.synchronizeFolder(CrashVFS.folder(of: record.path)))
                record.synchronizesFolder = false
            }
            return SQLITE_OK
        }
        methods.xFileSize = { file, size in CrashVFS.call(file) { $0.xFileSize($1, size) } }
        methods.xLock = { file, lock in CrashVFS.call(file) { $0.xLock($1, lock) } }
        methods.xUnlock = { file, lock in CrashVFS.call(file) { $0.xUnlock($1, lock) } }
        methods.xCheckReservedLock = { file, result in CrashVFS.call(file) { $0.xCheckReservedLock($1, result) } }
        methods.xFileControl = { file, operation, argument in
            CrashVFS.call(file) { $0.xFileControl($1, operation, argument) }
        }
        methods.xSectorSize = { file in CrashVFS.call(file) { $0.xSectorSize($1) } }
        methods.xDeviceCharacteristics = { file in CrashVFS.call(file) { $0.xDeviceCharacteristics($1) } }
        methods.xShmMap = { file, page, size, extends, address in
            CrashVFS.call(file) { $0.xShmMap($1, page, size, extends, address) }
        }
        methods.xShmLock = { file, offset, count, flags in CrashVFS.call(file) { $0.xShmLock($1, offset, count, flags) }
        }
        methods.xShmBarrier = { file in
            _ = CrashVFS.call(file) {
                $0.xShmBarrier($1); return SQLITE_OK
            }
        }
        methods.xShmUnmap = { file, deletes in CrashVFS.call(file) { $0.xShmUnmap($1, deletes) } }
        let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        table.initialize(to: methods)
        return table
    }()
}
