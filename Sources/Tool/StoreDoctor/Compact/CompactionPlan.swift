internal import CoreData
internal import Foundation
internal import StoreFile

/// What compacting a store would do, and the disk space that it needs.
package struct CompactionPlan: Sendable {
    /// The way to make a file smaller.
    package enum Strategy: String, Sendable {
        /// In the file, in small transactions that each free some pages and move the log into the file.
        case incremental
        /// By writing what is in use to a new file, which then replaces the content in one transaction.
        case rebuild
    }

    /// The options of a compaction.
    package struct Options: Sendable {
        /// The history to purge.
        package enum History: Sendable {
            case none
            /// All transactions.
            case all
            /// The transactions before a time, in seconds since 2001.
            case before(Double)
        }

        /// The history to purge.
        package var history = History.none
        /// Whether half-empty pages are merged, which needs a new file.
        package var rebuilds = false
        /// Whether freed bytes are overwritten with zeros.
        package var isSecure = false
        /// The entities whose objects without an owner are deleted.
        package var unowned: [String] = []
        /// The current time, in seconds since 2001.
        package var now: Double = Date().timeIntervalSinceReferenceDate

        /// Creates the default options.
        package init() {}
    }

    package var strategy: Strategy
    /// The size of the file and its log, in bytes.
    package var size: Int64
    /// The number of bytes in free pages.
    package var freeBytes: Int64
    /// The number of transactions that are purged.
    package var transactions: Int64 = 0
    /// The time of the newest of them, in seconds since 2001.
    package var newestPurged: Double?
    /// The number of changes that are purged.
    package var changes: Int64 = 0
    /// The objects without an owner that are deleted: the name of the entity, and their number and size.
    package var unowned: [(entity: String, count: Int64, bytes: Int64)] {
        deletion?.rows.map { ($0.entity.name, $0.count, $0.bytes) } ?? []
    }
    /// Their deletion; `nil` if none is requested.
    let deletion: UnownedDeletion?
    /// The external files that no row refers to.
    package var orphans = OrphanedFiles()
    /// Whether the orphans are not known, because a store beside this one cannot be read.
    package var areOrphansUnknown = false
    /// The maximum of additional disk space, in bytes.
    package var bound: Int64

    /// The number of free pages that a step removes.
    let pageStep: Int64
    /// The number of rows that a step deletes.
    let rowStep: Int64

    /// Returns the plan of compacting a store, which may be in use and stays as it is.
    ///
    /// - Parameters:
    ///   - isInPlace: Whether the file itself becomes smaller, rather than a copy.
    ///   - didRead: Called after each reading of the store.
    /// - Throws: `StoreDoctor.Failure` if it is not a store, or the history must not be purged.
    package init(
        path: String, isInPlace: Bool, _ options: Options, didRead: () -> Void = {}
    ) throws(StoreDoctor.Failure) {
        do {
            self = try DoctorDatabase.readOneState(of: path, didRead: didRead) { database in
                // The folder is listed before the snapshot begins.
                let external = ExternalFileList(ofStoreAt: path)
                try database.begin()
                return try CompactionPlan(
                    database, path: FileStatus.resolved(path), isInPlace: isInPlace, external: external, options)
            }
        } catch {
            throw StoreDoctor.changeFailure(error)
        }
    }

    /// Returns the maximum number of pages of a new file with the content of another.
    ///
    /// - Parameter hasPointers: Whether the file has pages of pointers, one for about 800 others. The new file has
    ///   those for its pages only.
    private static func pagesOfRebuiltFile(pages: Int64, free: Int64, pageSize: Int64, hasPointers: Bool) -> Int64 {
        guard hasPointers else { return pages - free }
        // A page ends with up to 255 bytes that SQLite does not use.
        let content = max(pages - free - pages / (pageSize / 5 + 1), 1)
        return min(content + content / max((pageSize - 255) / 5, 1) + 2, pages - free)
    }

    init(
        _ database: DoctorDatabase, path: String, isInPlace: Bool, external: ExternalFileList, _ options: Options
    ) throws {
        guard
            try database.integer(
                "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name IN ('Z_METADATA', 'Z_PRIMARYKEY') LIMIT 1")
                != nil
        else {
            throw StoreDoctor.Failure(kind: .notAStore, message: "the database was not created by Core Data")
        }
        let pageSize = try database.integer("PRAGMA page_size") ?? 4096
        let pages = try database.integer("PRAGMA page_count") ?? 0
        let free = try database.integer("PRAGMA freelist_count") ?? 0
        let log = FileStatus.size(path + "-wal") ?? 0
        size = (FileStatus.size(path) ?? 0) + log
        freeBytes = free * pageSize
        deletion = try UnownedDeletion(options.unowned, in: database, path: path, external: external)
        let purge = HistoryPurge(options.history)
        var largest: Int64 = 0
        if try purge.exists(in: database) {
            try purge.requireUnmirrored(database, now: options.now)
            (transactions, changes, newestPurged) = try purge.count(in: database)
            largest = try purge.largestTransaction(in: database)
        }
        // Steps of 1% of the file keep the log small; a freed page may move another, with its parent and pointers to
        // both.
        pageStep = min(max(pages / 100, 16), 1000)
        rowStep = min(max(pages / 100, 100), 2000)
        let frame = pageSize + 24
        // A transaction goes with all of its changes.
        let purgeBound = transactions > 0 ? (min(4 * (rowStep + largest), pages) + 64) * frame : 0
        let changes = max(
            purgeBound, deletion?.bound(pages: pages, pageSize: pageSize, isSecure: options.isSecure) ?? 0)
        let stepBound = max(free > 0 || changes > 0 ? (4 * pageStep + 64) * frame : 0, changes)
        let canStep = try database.integer("PRAGMA auto_vacuum") == 2
        let kept = Self.pagesOfRebuiltFile(pages: pages, free: free, pageSize: pageSize, hasPointers: canStep)
        let rebuildBound = kept * pageSize + frame + changes
        if isInPlace {
            // The new file and the log of the transaction that writes it to the store; a journal has all of the old
            // pages. A connection that only reads a file without a log has another mode.
            let usesLog = try database.isInLogMode || database.text("PRAGMA journal_mode") == "wal"
            let replaceBound = rebuildBound + (usesLog ? kept : pages) * frame
            strategy = options.rebuilds || !canStep || replaceBound < stepBound ? .rebuild : .incremental
            // Its pages may not be in the file yet.
            bound = log + (strategy == .rebuild ? replaceBound : stepBound)
        } else {
            strategy = .rebuild
            bound = rebuildBound + stepBound
        }
        let orphans = try external.orphans(in: database, except: deletion?.conditions ?? [:], now: options.now)
        areOrphansUnknown = orphans == nil
        self.orphans = OrphanedFiles(orphans ?? [])
    }
}
