internal import Foundation
internal import RuntimeSupport

/// The state of a SQLite store's history. Used under the coordinator's lock.
final class StoreHistory {
    /// Whether the file has the history tables.
    private(set) var exists = false
    /// The number of tombstone columns.
    private(set) var tombstoneCount = 0
    /// The attributes that are kept in tombstones, by entity number.
    private var tombstones: [Int: [Tombstone]] = [:]
    /// The last transaction that was reported to other coordinators and programs.
    var lastReported: Int64 = 0

    /// An attribute whose value is kept in tombstones.
    struct Tombstone {
        var slot: Int
        var name: String
        var coding: ValueCoding
    }

    static func tombstoneColumn(_ index: Int) -> String { "ZTOMBSTONE\(index)" }

    /// Finds the history tables, or creates them if the store is to keep a history.
    ///
    /// A program that would leave gaps in the history must not write to a store that keeps one: like Apple's framework,
    /// it opens the store read-only, and logs this.
    func open(_ store: SQLiteStore, _ connection: SQLiteConnection) throws {
        exists = try connection.hasTable("ATRANSACTION") && connection.hasTable("ACHANGE")
        guard store.settings.tracksHistory else {
            guard exists, !store.isReadOnly else { return }
            store.isReadOnly = true
            Log.error(
                "Store opened without NSPersistentHistoryTrackingKey but previously had been opened with "
                    + "NSPersistentHistoryTrackingKey - Forcing into Read Only mode store at '\(store.fileURL.path)'")
            return
        }
        guard !store.isReadOnly else { return }
        try connection.transaction {
            // Another process may have been faster.
            if try !connection.hasTable("ATRANSACTION") {
                for statement in HistoryTables.statements { try connection.execute(statement) }
            }
            tombstoneCount = try addTombstoneColumns(store, connection)
        }
        exists = true
        lastReported = try lastTransaction(connection)
    }

    /// Adds columns for the attributes kept in tombstones, which entities share, and returns their number: the maximum
    /// per entity.
    private func addTombstoneColumns(_ store: SQLiteStore, _ connection: SQLiteConnection) throws -> Int {
        let requested =
            (store.schema?.entities ?? []).map { mapping in
                store.entity(number: mapping.number).map { tombstones(of: $0).count } ?? 0
            }.max() ?? 0
        var count = try FileLayout(connection).tombstoneCount
        while count < requested {
            // The type `BLOB` stores values of all types unconverted.
            try connection.execute("ALTER TABLE ACHANGE ADD COLUMN \(Self.tombstoneColumn(count)) BLOB")
            count += 1
        }
        return count
    }

    /// Returns the attributes of an entity that are kept in tombstones.
    func tombstones(of entity: StoredEntity) -> [Tombstone] {
        if let cached = tombstones[entity.number] { return cached }
        let found = Self.tombstones(of: entity.layout)
        tombstones[entity.number] = found
        return found
    }

    /// Returns the attributes of an entity that are kept in tombstones.
    static func tombstones(of layout: EntityLayout) -> [Tombstone] {
        layout.attributeSlots.compactMap { slot in
            guard let attribute = layout.slots[slot].property as? NSAttributeDescription,
                attribute.preservesValueInHistoryOnDeletion, !attribute.isTransient,
                let coding = ValueCoding(inRow: attribute)
            else { return nil }
            return Tombstone(slot: slot, name: attribute.name, coding: coding)
        }
    }

    /// Returns the number of the last transaction ever written.
    func lastTransaction(_ connection: SQLiteConnection) throws(SQLiteError) -> Int64 {
        try connection.lastKey(entity: HistoryTables.transactionEntity, table: "ATRANSACTION")
    }
}

extension ValueCoding {
    /// Creates the coding of an attribute whose values stay in the row, however large; `nil` for types that cannot be
    /// stored.
    init?(inRow attribute: NSAttributeDescription) {
        switch attribute.attributeType {
        case .binaryDataAttributeType: self = .data
        case .transformableAttributeType: self = .transformable(TransformableCoding(attribute))
        default:
            let memory = SQLiteFile(URL(fileURLWithPath: "/dev/null"))
            self.init(attribute, external: ExternalStorage(memory, SQLiteOptions([:])))
        }
    }
}
