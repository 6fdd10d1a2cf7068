internal import CoreData
package import Diagnostics
internal import StoreFile

/// What a store contains, in numbers.
package struct StoreSummary: Sendable {
    /// The persistent history of a store.
    package struct History: Sendable {
        /// The number of transactions.
        package var transactions: Int64
        /// The number of changes.
        package var changes: Int64
        /// The time of the oldest and the newest transaction, in seconds since 2001.
        package var oldest: Double?
        package var newest: Double?
    }

    /// The size of the file in bytes.
    package var size: Int64
    /// The size of a page in bytes.
    package var pageSize: Int64
    /// The number of pages, including those in the log.
    package var pages: Int64
    /// The number of unused pages.
    package var freePages: Int64
    /// The number of pages in the log.
    package var logFrames: Int64
    /// The identifier; `nil` if there is none.
    package var uuid: String?
    /// The number of the framework that wrote last.
    package var frameworkVersion: Int64?
    /// The source of the model: `store`, `given`, or `nil` if there is none.
    package var modelSource: String?
    /// The numbers of rows by entity, for the entities that are not abstract, in the order of their numbers.
    package var entities: [(name: String, rows: Int64)] = []
    /// The sizes of the tables with their indexes in bytes, by the name of the first entity of the hierarchy that is
    /// not abstract; empty if they were not measured.
    package var sizes: [String: Int64] = [:]
    /// The bundle identifiers of the apps in the history, the last one that wrote first.
    package var apps: [String] = []
    /// The number of rows that were checked.
    package var checkedRows: Int64
    /// The history; `nil` if the store has none.
    package var history: History?
    /// The number of external files, and their size in bytes.
    package var externalFiles: (count: Int, size: Int64)

    init(_ examination: StoreExamination) throws(DoctorDatabase.Failure) {
        let database = examination.database
        func number(_ sql: String) throws(DoctorDatabase.Failure) -> Int64 { try database.integer(sql) ?? 0 }
        size = examination.file.size
        pageSize = try number("PRAGMA page_size")
        pages = try number("PRAGMA page_count")
        freePages = try number("PRAGMA freelist_count")
        logFrames = examination.file.logFrames
        uuid = examination.metadata.uuid.isEmpty ? nil : examination.metadata.uuid
        frameworkVersion = examination.metadata.frameworkVersion
        modelSource = examination.layout == nil ? nil : examination.isModelGiven ? "given" : "store"
        checkedRows = examination.checkedRows
        for entity in examination.layout?.entities ?? [] where !entity.isAbstract {
            guard let rows = examination.rowCounts[entity.name] else { continue }
            entities.append((entity.name, rows))
        }
        if examination.has("ATRANSACTION", "ZTIMESTAMP"), examination.has("ACHANGE", "Z_PK") {
            var history = History(
                transactions: try number("SELECT count(*) FROM ATRANSACTION"),
                changes: try number("SELECT count(*) FROM ACHANGE"))
            try database.forEach("SELECT min(ZTIMESTAMP), max(ZTIMESTAMP) FROM ATRANSACTION") { row in
                (history.oldest, history.newest) = (row.real(0), row.real(1))
            }
            self.history = history
        }
        let folder = examination.external
        externalFiles = (
            folder.names.count, folder.names.reduce(0) { $0 + (FileStatus.size("\(folder.path)/\($1)") ?? 0) }
        )
    }

    /// Counts rows, and measures tables.
    mutating func measure(_ examination: StoreExamination) throws(DoctorDatabase.Failure) {
        guard let layout = examination.layout else { return }
        let statistics = try examination.pageStatistics()
        var counts: [Int64: Int64] = [:]
        entities = []
        for root in layout.entities where root.isRoot && examination.has(root.table, "Z_ENT") {
            try examination.database.forEach("SELECT Z_ENT, count(*) FROM \(SQLName.inQuotes(root.table)) GROUP BY 1") {
                row in
                counts[row.integer(0) ?? 0] = row.integer(1) ?? 0
            }
            if let first = layout.entities.first(where: { $0.rootNumber == root.number && !$0.isAbstract }),
                let size = examination.table(root.table).flatMap({ statistics?[$0.name]?.size })
            {
                sizes[first.name] = size
            }
        }
        for entity in layout.entities where !entity.isAbstract && examination.has(entity.table, "Z_ENT") {
            entities.append((entity.name, counts[Int64(entity.number)] ?? 0))
        }
        guard examination.has("ATRANSACTION", "ZBUNDLEIDTS"), examination.has("ATRANSACTIONSTRING", "ZNAME") else {
            return
        }
        var apps: [String] = []
        try examination.database.forEach(
            """
            SELECT s.ZNAME, max(t.Z_PK) FROM ATRANSACTION AS t JOIN ATRANSACTIONSTRING AS s ON s.Z_PK = t.ZBUNDLEIDTS \
            GROUP BY 1 ORDER BY 2 DESC LIMIT 5
            """
        ) { apps.append($0.text(0)) }
        self.apps = apps
    }

    /// Returns the summary as JSON.
    ///
    /// - Parameter path: The path of the store, as the user named it.
    package func json(path: String) -> JSONValue {
        .compact([
            ("path", .string(path)), ("size", .integer(Int(clamping: size))),
            ("pageSize", .integer(Int(clamping: pageSize))), ("pages", .integer(Int(clamping: pages))),
            ("freePages", .integer(Int(clamping: freePages))), ("logPages", .integer(Int(clamping: logFrames))),
            ("uuid", .optional(uuid)),
            ("frameworkVersion", frameworkVersion.map { .integer(Int(clamping: $0)) } ?? .null),
            ("model", .optional(modelSource)),
            ("apps", apps.isEmpty ? .null : .array(apps.map { .string($0) })),
            ("entities", .object(entities.map { ($0.name, .integer(Int(clamping: $0.rows))) })),
            (
                "sizes",
                sizes.isEmpty
                    ? .null
                    : .object(sizes.sorted { $0.key < $1.key }.map { ($0.key, .integer(Int(clamping: $0.value))) })
            ),
            ("history", history.map(Self.json) ?? .null),
            (
                "externalFiles",
                .object([
                    ("count", .integer(externalFiles.count)), ("size", .integer(Int(clamping: externalFiles.size))),
                ])
            ),
        ])
    }

    private static func json(_ history: History) -> JSONValue {
        .compact([
            ("transactions", .integer(Int(clamping: history.transactions))),
            ("changes", .integer(Int(clamping: history.changes))),
            ("oldest", .optional(history.oldest.flatMap(DateText.text(ofSeconds:)))),
            ("newest", .optional(history.newest.flatMap(DateText.text(ofSeconds:)))),
        ])
    }
}
