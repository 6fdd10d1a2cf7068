internal import Foundation

/// Writes the history of a store: a transaction for each save or batch, and a change for each object in it
/// (core-data-runtime.md, 3.1).
final class HistoryWriter {
    /// What was done, with Apple's numbers.
    enum Kind: Int64 {
        case insert = 0
        case update = 1
        case delete = 2
    }

    private let connection: SQLiteConnection
    /// The row of the transaction that is going on; made with the first change.
    private var transaction: Int64?
    private var lastChange: Int64 = 0
    private weak var context: NSManagedObjectContext?
    private var insertion: SQLiteStatement?

    /// Makes the tables if the file has none.
    init(_ connection: SQLiteConnection) throws {
        self.connection = connection
        guard try !connection.hasTable("ACHANGE") else { return }
        try connection.transaction {
            guard try !connection.hasTable("ACHANGE") else { return }
            for statement in HistoryTables.statements { try connection.execute(statement) }
        }
    }

    /// Begins to note what a context does. SQLite's transaction has begun.
    func begin(_ context: NSManagedObjectContext) throws {
        self.context = context
        transaction = nil
    }

    /// Notes a change.
    ///
    /// - Parameter slots: the properties that have changed; only for updates.
    func note(_ kind: Kind, _ key: Int64, _ entity: StoredEntity, _ slots: [Int] = []) throws {
        try note(kind, key, entity, columns: kind == .update ? ChangedColumns.bytes(slots, entity) : nil)
    }

    /// Notes a deletion, with the values that are to be known afterwards. The row is still there.
    func noteDeletion(_ key: Int64, _ entity: StoredEntity) throws {
        try note(.delete, key, entity, columns: nil)
        try Tombstone.write(key, entity, change: lastChange, connection)
    }

    private func note(_ kind: Kind, _ key: Int64, _ entity: StoredEntity, columns: [UInt8]?) throws {
        let transaction = try self.transaction ?? makeTransaction()
        self.transaction = transaction
        lastChange += 1
        let statement: SQLiteStatement
        if let insertion {
            statement = insertion
        } else {
            statement = try SQLiteStatement(
                connection,
                "INSERT INTO ACHANGE(Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS) "
                    + "VALUES(?, \(HistoryTables.changeEntity), ?, ?, ?, ?, ?)")
            insertion = statement
        }
        statement.bind(lastChange, at: 1)
        statement.bind(kind.rawValue, at: 2)
        statement.bind(Int64(entity.number), at: 3)
        statement.bind(key, at: 4)
        statement.bind(transaction, at: 5)
        if let columns { statement.bind(columns, at: 6) } else { statement.bindNull(at: 6) }
        try statement.run()
    }

    private func makeTransaction() throws -> Int64 {
        let key = try lastKey(HistoryTables.transactionEntity) + 1
        lastChange = try lastKey(HistoryTables.changeEntity)
        let statement = try connection.statement(
            "INSERT INTO ATRANSACTION(Z_PK, Z_ENT, ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS, ZPROCESSIDTS, ZTIMESTAMP) "
                + "VALUES(?, \(HistoryTables.transactionEntity), ?, ?, ?, ?, ?)")
        statement.bind(key, at: 1)
        let process = ProcessInfo.processInfo.processName
        let texts = [context?.transactionAuthor, Bundle.main.bundleIdentifier ?? process, context?.name, process]
        for (index, text) in texts.enumerated() {
            if let number = try text.map(number(ofText:)) {
                statement.bind(number, at: Int32(index + 2))
            } else {
                statement.bindNull(at: Int32(index + 2))
            }
        }
        statement.bind(Date().timeIntervalSinceReferenceDate, at: 6)
        try statement.run()
        try setLastKey(key, HistoryTables.transactionEntity)
        return key
    }

    /// The row of a text, which is kept once.
    private func number(ofText text: String) throws -> Int64 {
        let read = try connection.statement("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?")
        defer { read.reset() }
        read.bind(text, at: 1)
        if try read.step() { return read.integer(0) }
        let key = try lastKey(HistoryTables.stringEntity) + 1
        let write = try connection.statement(
            "INSERT INTO ATRANSACTIONSTRING(Z_PK, Z_ENT, ZNAME) VALUES(?, \(HistoryTables.stringEntity), ?)")
        write.bind(key, at: 1)
        write.bind(text, at: 2)
        try write.run()
        try setLastKey(key, HistoryTables.stringEntity)
        return key
    }

    private func lastKey(_ entity: Int) throws -> Int64 {
        try connection.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(entity)") ?? 0
    }

    private func setLastKey(_ key: Int64, _ entity: Int) throws {
        let statement = try connection.statement("UPDATE OR FAIL Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = \(entity)")
        statement.bind(key, at: 1)
        try statement.run()
    }

    /// Ends the transaction; it is not written if nothing was done.
    func end() throws {
        guard transaction != nil else { return }
        try setLastKey(lastChange, HistoryTables.changeEntity)
        transaction = nil
    }
}

/// Which properties an update has changed: a bit for each that has a column, sorted by name, as far as the format is known.
enum ChangedColumns {
    /// The slots that have a bit, in the order of the bits.
    static func slots(_ entity: StoredEntity) -> [Int] {
        entity.layout.slots.indices.filter { entity.mapping.places[$0] != .nowhere }
            .sorted { entity.layout.slots[$0].name < entity.layout.slots[$1].name }
    }

    static func bytes(_ changed: [Int], _ entity: StoredEntity) -> [UInt8] {
        let slots = slots(entity)
        var bytes = [UInt8](repeating: 0, count: (slots.count + 7) / 8)
        for (bit, slot) in slots.enumerated() where changed.contains(slot) { bytes[bit / 8] |= 1 << (bit % 8) }
        return bytes
    }

    /// The names of the changed properties.
    static func names(_ bytes: [UInt8], _ entity: StoredEntity) -> [String] {
        slots(entity).enumerated().compactMap { bit, slot in
            guard bit / 8 < bytes.count, bytes[bit / 8] & (1 << (bit % 8)) != 0 else { return nil }
            return entity.layout.slots[slot].name
        }
    }
}
