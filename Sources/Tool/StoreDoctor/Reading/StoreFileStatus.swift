internal import CoreData
internal import Diagnostics
internal import Foundation
internal import StoreFile

/// What can be said about a store's files without SQLite.
struct StoreFileStatus {
    let path: String
    /// The size of the file in bytes.
    let size: Int64
    /// The size of a page in bytes.
    let pageSize: Int64
    /// Whether the file is empty or can be read.
    let isReadable: Bool
    private let header: [UInt8]

    init(path named: String) {
        // SQLite names logs after the file that a link leads to.
        path = FileStatus.resolved(named)
        size = FileStatus.isRegularFile(path) ? FileStatus.size(path) ?? 0 : 0
        let prefix = size > 0 ? DatabaseFiles.prefix(of: path, count: 100) : []
        isReadable = prefix != nil
        header = prefix ?? []
        let stated = Self.number(header, at: 16, count: 2)
        pageSize = stated == 1 ? 65536 : stated
    }

    /// Whether the file begins like a database.
    var isDatabase: Bool { DatabaseHeader.begins(header) }

    /// Whether the database uses a write-ahead log.
    var usesLog: Bool { DatabaseHeader.isInLogMode(header) }

    /// The finding if the file is shorter than its header says.
    var truncation: StoreFinding? {
        guard header.count == 100 else {
            return StoreFinding(.truncatedFile, "the file has \(size) bytes, fewer than the header of a database")
        }
        let pageCount = Self.number(header, at: 28, count: 4)
        // The page count is only valid if the version that wrote it also wrote the change counter. The log or the
        // journal may have the pages that the file lacks: while another process writes, or after a crash.
        guard logFrames == 0, !hasJournal,
            Self.number(header, at: 24, count: 4) == Self.number(header, at: 92, count: 4),
            pageCount * pageSize > size
        else { return nil }
        return StoreFinding(
            .truncatedFile, "the file has \(size) bytes, and its header says \(pageCount * pageSize)")
    }

    /// The number of frames in the log that belong to it, not to an earlier use of the file.
    var logFrames: Int64 {
        guard let handle = FileHandle(forReadingAtPath: path + "-wal") else { return 0 }
        defer { try? handle.close() }
        guard let head = try? handle.read(upToCount: 32), head.count == 32 else { return 0 }
        let log = [UInt8](head)
        let frame = 24 + Self.number(log, at: 8, count: 4)
        let size = FileStatus.size(path + "-wal") ?? 0
        guard frame > 24, frame <= 24 + 65536 else { return 0 }
        // Frames of the current use are the first ones: find the last by bisection.
        var (low, high): (Int64, Int64) = (0, max(0, (size - 32) / frame))
        while low < high {
            let middle = (low + high) / 2
            guard (try? handle.seek(toOffset: UInt64(32 + middle * frame + 8))) != nil,
                let salts = try? handle.read(upToCount: 8), [UInt8](salts) == Array(log[16..<24])
            else {
                high = middle
                continue
            }
            low = middle + 1
        }
        return low
    }

    /// Whether there is a log with content.
    var hasLog: Bool { (FileStatus.size(path + "-wal") ?? 0) > 0 }

    /// Whether there is a journal that SQLite may roll back.
    var hasJournal: Bool {
        guard let handle = FileHandle(forReadingAtPath: path + "-journal") else { return false }
        defer { try? handle.close() }
        let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        return (try? handle.read(upToCount: 8)).map { [UInt8]($0) == magic } ?? false
    }

    private static func number(_ bytes: [UInt8], at offset: Int, count: Int) -> Int64 {
        guard bytes.count >= offset + count else { return 0 }
        return bytes[offset..<(offset + count)].reduce(0) { $0 << 8 | Int64($1) }
    }
}

/// The folder with the external values of a store, as it was before the store was read: a file in it whose row is saved
/// meanwhile is not taken for an orphan.
struct ExternalFileList {
    /// The path of the store, as it was named.
    private let store: String
    let path: String
    let exists: Bool
    /// Whether there is such a folder, and it cannot be listed.
    let isUnreadable: Bool
    let names: Set<String>

    init(ofStoreAt store: String) {
        self.store = store
        let path = StoreLayout.externalFolder(ofStoreAt: store)
        self.path = path
        let names = try? FileManager.default.contentsOfDirectory(atPath: path)
        exists = names != nil
        isUnreadable = names == nil && FileManager.default.fileExists(atPath: path)
        // A folder in place of a file has no value.
        self.names = Set(
            (names ?? []).filter { !$0.hasPrefix(".") && FileStatus.isRegularFile("\(path)/\($0)") })
    }

    /// Returns whether there is a file now.
    func has(_ name: String) -> Bool {
        names.contains(name) || Self.isName(name) && FileStatus.isRegularFile("\(path)/\(name)")
    }

    /// The minimum age in seconds of orphans: the row of a newer file may not be saved yet.
    private static let minimumAge = 86_400.0

    /// Returns the files that no row refers to, of this store or of one that shares the folder; `nil` if another store
    /// cannot be read.
    ///
    /// - Parameters:
    ///   - excluded: The conditions, by the keys of the tables' names, of rows `t` that do not count.
    ///   - now: The current time, in seconds since 2001.
    func orphans(
        in database: DoctorDatabase, except excluded: [String: String] = [:], now: Double
    ) throws(DoctorDatabase.Failure) -> Set<String>? {
        var orphans = names.filter(Self.isName)
        guard !orphans.isEmpty else { return [] }
        orphans.subtract(try ExternalReferences.names(in: database, except: excluded))
        // Files that rows of past states may still need.
        let dropped = StoreLayout.droppedFilesTable
        if try database.integer(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = \(SQLName.literal(dropped))") != nil
        {
            try database.forEach("SELECT NAME FROM \(SQLName.inQuotes(dropped))") { orphans.remove($0.text(0)) }
        }
        orphans = orphans.filter { name in
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
            guard let date = attributes?[.modificationDate] as? Date else { return false }
            return now - date.timeIntervalSinceReferenceDate >= Self.minimumAge
        }
        return orphans.isEmpty ? [] : StoreExternalFiles.unshared(orphans, ofStoreAt: store)
    }

    /// Returns whether a name is a UUID, as the names of external files are.
    static func isName(_ name: String) -> Bool { name.utf8.count == 36 && UUID(uuidString: name) != nil }
}
