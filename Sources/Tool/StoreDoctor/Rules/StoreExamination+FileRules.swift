internal import CoreData
internal import Diagnostics
internal import StoreFile

/// The file: pages, log, journal, free space.
extension StoreExamination {
    func checkFile() throws(DoctorDatabase.Failure) {
        if options.includes(.damagedPage) {
            var messages: [String] = []
            try database.forEach("PRAGMA \(options.isQuick ? "quick_check" : "integrity_check")(100)") { row in
                messages.append(row.text(0))
            }
            if messages != ["ok"], let first = messages.first {
                // SQLite's messages may have several lines, the first of which names the database.
                let lines = first.split(separator: "\n").filter { !$0.hasPrefix("***") }
                let rest = messages.count > 1 ? " and \(messages.count - 1) more" : ""
                recordDamage("\(lines.first ?? "unknown reason")\(rest)", count: messages.count)
            }
        }
        if database.isCopy, file.hasJournal {
            record(StoreFinding(.hotJournal, "the journal beside the store was not rolled back"))
        }
        let pageSize = try database.integer("PRAGMA page_size") ?? 4096
        let pages = try database.integer("PRAGMA page_count") ?? 0
        if options.includes(.largeLog) {
            let frames = file.logFrames
            if frames > 4000, frames * 4 > pages {
                record(StoreFinding(.largeLog, "the log has \(frames) pages, and the store \(pages)"))
            }
        }
        let free = try database.integer("PRAGMA freelist_count") ?? 0
        if free * 4 > pages, free * pageSize > 1 << 20 {
            record(
                StoreFinding(
                    .freePages, "\(free * 100 / max(pages, 1))% of the file is unused (\(free * pageSize >> 20) MiB)"))
        }
        if options.includes(.noAutoVacuum), try database.integer("PRAGMA auto_vacuum") != 2 {
            record(StoreFinding(.noAutoVacuum, "the store was created without incremental vacuum"))
        }
        try checkStatistics(pages * pageSize)
    }

    /// The space that tables use, for which SQLite visits all pages.
    private func checkStatistics(_ size: Int64) throws(DoctorDatabase.Failure) {
        guard !options.isQuick, size > 1 << 20,
            options.includes(.sparsePages) || options.includes(.historyBloat),
            let statistics = try pageStatistics()
        else { return }
        let used = statistics.values.reduce(0) { $0 + $1.size }
        let unused = statistics.values.reduce(0) { $0 + $1.unused }
        if unused * 5 > used * 2, unused > 1 << 20 {
            record(
                StoreFinding(
                    .sparsePages,
                    "\(unused * 100 / max(used, 1))% of the space in used pages is empty (\(unused >> 20) MiB)"))
        }
        let history = statistics.filter { Self.historyTables.contains(SQLName.key($0.key)) }.values
            .reduce(0) { $0 + $1.size }
        if history * 10 > size * 3, history > 1 << 20 {
            recordHistoryBloat("history takes \(history * 100 / max(size, 1))% of the file (\(history >> 20) MiB)")
        }
    }

    /// The size and the empty space of each table with its indexes, by the table's name; `nil` if SQLite was built
    /// without `dbstat`.
    func pageStatistics() throws(DoctorDatabase.Failure) -> [String: (size: Int64, unused: Int64)]? {
        guard try database.integer("SELECT count(*) FROM pragma_module_list WHERE name = 'dbstat'") == 1 else {
            return nil
        }
        var result: [String: (size: Int64, unused: Int64)] = [:]
        try database.forEach(
            """
            SELECT ifnull(m.tbl_name, s.name), sum(s.pgsize), sum(s.unused) FROM dbstat AS s \
            LEFT JOIN sqlite_master AS m ON m.name = s.name WHERE s.aggregate = 1 GROUP BY 1
            """
        ) { row in
            result[row.text(0)] = (row.integer(1) ?? 0, row.integer(2) ?? 0)
        }
        return result
    }
}
