internal import Foundation

/// What a SQLite store knows of its history. Used under the coordinator's lock.
final class StoreHistory {
    /// Whether the file has the tables.
    private(set) var isThere = false
    /// How many columns there are for what is kept of deleted objects.
    private(set) var tombstoneCount = 0
    /// How the attributes are kept that outlive their objects, by the numbers of the entities.
    private var tombstones: [Int: [Tombstone]] = [:]
    /// The last transaction that others were told of.
    var lastTold: Int64 = 0

    /// An attribute whose value outlives its object.
    struct Tombstone {
        var slot: Int
        var name: String
        var coding: ValueCoding
    }

    /// Returns the name of a column.
    static func tombstoneColumn(_ index: Int) -> String { "ZTOMBSTONE\(index)" }

    /// Makes the tables if the store is to have them, or finds them.
    ///
    /// A store that keeps a history is not written by a program that would leave gaps in it: Apple's framework opens it for
    /// reading only, and says so in the log.
    func open(_ store: SQLiteStore, _ connection: SQLiteConnection) throws {
        isThere = try connection.hasTable("ATRANSACTION") && connection.hasTable("ACHANGE")
        guard store.settings.tracksHistory else {
            guard isThere, !store.isReadOnly else { return }
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
        isThere = true
        lastTold = try lastTransaction(connection)
    }

    /// Returns a column for each attribute that outlives its object, as many as one entity has: different entities
    /// share them.
    private func addTombstoneColumns(_ store: SQLiteStore, _ connection: SQLiteConnection) throws -> Int {
        let wanted =
            (store.schema?.entities ?? []).map { mapping in
                store.entity(number: mapping.number).map { tombstones(of: $0).count } ?? 0
            }.max() ?? 0
        let file = try FileLayout(connection)
        var count = 0
        while file.table("ACHANGE")?.column(Self.tombstoneColumn(count)) != nil { count += 1 }
        while count < wanted {
            // Values of all types are kept as they are.
            try connection.execute("ALTER TABLE ACHANGE ADD COLUMN \(Self.tombstoneColumn(count)) BLOB")
            count += 1
        }
        return count
    }

    /// Returns the attributes of an entity that outlive its objects.
    func tombstones(of entity: StoredEntity) -> [Tombstone] {
        if let known = tombstones[entity.number] { return known }
        let found = entity.layout.attributeSlots.compactMap { slot -> Tombstone? in
            guard let attribute = entity.layout.slots[slot].property as? NSAttributeDescription,
                attribute.preservesValueInHistoryOnDeletion, !attribute.isTransient,
                let coding = ValueCoding(inRow: attribute)
            else { return nil }
            return Tombstone(slot: slot, name: attribute.name, coding: coding)
        }
        tombstones[entity.number] = found
        return found
    }

    /// Returns the number of the last transaction there ever was.
    func lastTransaction(_ connection: SQLiteConnection) throws(SQLiteError) -> Int64 {
        try connection.integer(
            "SELECT max(ifnull((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(HistoryTables.transactionEntity)), 0), "
                + "ifnull((SELECT max(Z_PK) FROM ATRANSACTION), 0))") ?? 0
    }
}

extension ValueCoding {
    /// The coding of an attribute whose values stay in the row, however large they are; nil for types that no file can hold.
    init?(inRow attribute: NSAttributeDescription) {
        switch attribute.attributeType {
        case .binaryDataAttributeType: self = .data
        case .transformableAttributeType: self = .transformable(TransformableCoding(attribute, external: nil))
        default:
            self.init(
                attribute, external: ExternalStorage(store: URL(fileURLWithPath: "/dev/null"), isReadOnly: true))
        }
    }
}
