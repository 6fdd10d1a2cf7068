internal import CompiledModel
internal import CoreData
internal import Foundation
internal import PostgreSQLClient
internal import PostgreSQLSchema
internal import RuntimeSupport

/// The state of a PostgreSQL store's history. Used under the coordinator's lock.
final class PostgreSQLHistory {
    /// Whether the schema has the history tables.
    private(set) var exists = false
    /// The attributes that are kept in tombstones, by entity number.
    private var tombstones: [Int: [Tombstone]] = [:]
    /// The last transaction whose changes were reported to contexts.
    var lastObserved: Int64 = 0
    /// The last transaction of this store, once it has written one.
    var lastOwn: Int64?

    /// An attribute whose value is kept in tombstones.
    struct Tombstone {
        var slot: Int
        var name: String
        var coding: PostgreSQLCoding
    }

    /// Returns the statements that create the tables of a namespace.
    ///
    /// `_history` has one row, which a transaction locks from when it takes its number until it commits: transactions
    /// become visible in the order of their numbers, and a reader that sees a number has seen everything up to it.
    static func statements(_ namespace: String) -> [String] {
        let schema = PostgreSQLName.quoted(namespace)
        return [
            "CREATE TABLE IF NOT EXISTS \(schema).\"_history\" (\n    \"last\" bigint NOT NULL,\n    \"last_change\" bigint NOT NULL\n)",
            "CREATE TABLE IF NOT EXISTS \(schema).\"_transactions\" (\n    \"number\" bigint PRIMARY KEY,\n"
                + "    \"timestamp\" double precision NOT NULL,\n    \"author\" text,\n    \"context\" text,\n    \"bundle\" text,\n"
                + "    \"process\" text,\n    \"writer\" text\n)",
            "CREATE TABLE IF NOT EXISTS \(schema).\"_changes\" (\n    \"number\" bigint PRIMARY KEY,\n"
                + "    \"transaction\" bigint NOT NULL,\n    \"kind\" smallint NOT NULL,\n    \"entity\" integer NOT NULL,\n"
                + "    \"key\" bigint NOT NULL,\n    \"columns\" bytea,\n    \"tombstone\" bytea\n)",
            "CREATE INDEX IF NOT EXISTS \"_changes_transaction_idx\" ON \(schema).\"_changes\" (\"transaction\")",
            "CREATE INDEX IF NOT EXISTS \"_transactions_timestamp_idx\" ON \(schema).\"_transactions\" (\"timestamp\")",
            "INSERT INTO \(schema).\"_history\" SELECT 0, 0 WHERE NOT EXISTS (SELECT 1 FROM \(schema).\"_history\")",
        ]
    }

    /// Finds the history tables, or creates them if the store is to keep a history.
    ///
    /// A program that would leave gaps in the history must not write to a store that keeps one: the store is opened
    /// read-only, as Apple's framework does with a SQLite file.
    func open(_ store: PostgreSQLStore) throws {
        let table = "\(PostgreSQLName.quoted(store.namespace)).\"_history\""
        exists = try store.runOutsideTransaction([.hasTable(table)])[0].isTrue
        guard store.settings.tracksHistory else {
            guard exists, !store.isReadOnly else { return }
            store.isReadOnly = true
            Log.error(
                "Store opened without NSPersistentHistoryTrackingKey but previously had been opened with "
                    + "NSPersistentHistoryTrackingKey - Forcing into Read Only mode store in the schema “\(store.namespace)”"
            )
            return
        }
        if !exists, !store.isReadOnly {
            let lock = Statement(
                "SELECT pg_advisory_xact_lock(hashtext($1))", [PostgreSQLValue("modelc:\(store.namespace)")])
            // Each statement sees what other transactions have committed before releasing the lock.
            try store.transaction([lock]) { _ in
                _ = try store.run(Self.statements(store.namespace).map { Statement($0) })
            }
            exists = true
        }
        if exists { lastObserved = try store.lastTransaction() }
    }

    /// Returns the attributes of an entity that are kept in tombstones.
    func tombstones(of entity: PostgreSQLEntity) -> [Tombstone] {
        if let cached = tombstones[entity.number] { return cached }
        let found = entity.fields.compactMap { field -> Tombstone? in
            guard case .attribute(_, let coding) = field.kind,
                let attribute = entity.layout.slots[field.slot].property as? NSAttributeDescription,
                attribute.preservesValueInHistoryOnDeletion
            else { return nil }
            return Tombstone(slot: field.slot, name: attribute.name, coding: coding)
        }
        tombstones[entity.number] = found
        return found
    }
}

/// The changes of one transaction, for the history and for listeners. Empty if the store does not keep a history.
struct PostgreSQLHistoryRecord {
    private let store: PostgreSQLStore
    private let isKept: Bool
    private var kinds: [Int64] = []
    private var entities: [Int64] = []
    private var keys: [Int64] = []
    private var columns = PostgreSQLArray(element: PostgreSQLValue.TypeNumber.bytea)
    private var tombstones = PostgreSQLArray(element: PostgreSQLValue.TypeNumber.bytea)

    init(_ store: PostgreSQLStore) {
        self.store = store
        isKept = store.settings.tracksHistory && store.history.exists
    }

    /// Whether the changes are recorded, and thus need to be determined.
    var needsChanges: Bool { isKept }

    mutating func insert(_ key: Int64, _ entity: PostgreSQLEntity) {
        add(.insert, key: key, entity: entity, columns: nil, tombstone: nil)
    }

    /// Records that properties of an object change.
    mutating func update(_ key: Int64, _ entity: PostgreSQLEntity, slots: [Int]) {
        guard isKept else { return }
        let kept = slots.filter { slot in
            guard entity.layout.slots.indices.contains(slot), !entity.layout.slots[slot].isTransient else {
                return false
            }
            return entity.layout.slots[slot].kind != .fetched
        }
        guard !kept.isEmpty else { return }
        add(
            .update, key: key, entity: entity, columns: ColumnBits.bytes(kept, count: entity.layout.slots.count),
            tombstone: nil)
    }

    /// Records that an object is deleted.
    ///
    /// - Parameter row: Its last values.
    mutating func delete(_ key: Int64, entity: PostgreSQLEntity, row: Row?) throws {
        guard isKept else { return }
        var values: [String: Any] = [:]
        for tombstone in store.history.tombstones(of: entity) {
            guard let row, tombstone.slot < row.count,
                let bytes = try tombstone.coding.bytes(row[tombstone.slot], tombstone.name)
            else { continue }
            values[tombstone.name] = Data(bytes)
        }
        let list = values.isEmpty ? nil : PropertyListValue(foundation: values)?.binaryBytes()
        add(.delete, key: key, entity: entity, columns: nil, tombstone: list)
    }

    private mutating func add(
        _ kind: NSPersistentHistoryChangeType, key: Int64, entity: PostgreSQLEntity, columns: [UInt8]?,
        tombstone: [UInt8]?
    ) {
        guard isKept else { return }
        kinds.append(Int64(kind.rawValue))
        entities.append(Int64(entity.number))
        keys.append(key)
        self.columns.append(columns)
        tombstones.append(tombstone)
    }

    /// The server's time in seconds since 2001, which does not depend on the clocks of programs.
    private static let now =
        "(extract(epoch FROM pg_catalog.clock_timestamp()) - \(Int(Date.timeIntervalBetween1970AndReferenceDate)))::double precision"

    /// Returns the last statements of the transaction, which write the history and notify listeners. The result of the
    /// last one contains the number of the transaction, for `didWrite(_:)`.
    func commands(author: String?, contextName: String?) -> [Statement] {
        var commands: [Statement] = []
        let schema = PostgreSQLName.quoted(store.namespace)
        let writes = isKept && !keys.isEmpty
        if writes {
            func text(_ text: String?) -> PostgreSQLValue {
                text.map { PostgreSQLValue($0.replacingOccurrences(of: "\0", with: "")) }
                    ?? PostgreSQLValue(type: PostgreSQLValue.TypeNumber.text, bytes: nil)
            }
            commands.append(
                Statement(
                    "WITH t AS (UPDATE \(schema).\"_history\" SET \"last\" = \"last\" + 1, \"last_change\" = \"last_change\" + $1 "
                        + "RETURNING \"last\", \"last_change\"), "
                        + "h AS (INSERT INTO \(schema).\"_transactions\" SELECT t.\"last\", \(Self.now), $2, $3, $4, $5, $6 FROM t) "
                        + "INSERT INTO \(schema).\"_changes\" SELECT t.\"last_change\" - $1 + u.ordinal, t.\"last\", u.kind, u.entity, "
                        + "u.key, u.columns, u.tombstone FROM t, unnest($7, $8, $9, $10, $11) WITH ORDINALITY "
                        + "AS u(kind, entity, key, columns, tombstone, ordinal)",
                    [
                        PostgreSQLValue(Int64(keys.count)), text(author), text(contextName),
                        text(Bundle.main.bundleIdentifier), text(ProcessInfo.processInfo.processName),
                        text(store.instance), PostgreSQLValue(kinds), PostgreSQLValue(entities),
                        PostgreSQLValue(keys), columns.parameter, tombstones.parameter,
                    ]))
        }
        let notifies = isKept || store.settings.postsRemoteChanges
        guard notifies else { return commands }
        let parameters = [PostgreSQLValue(store.channel), PostgreSQLValue(store.instance)]
        let last = isKept ? "\"last\" FROM \(schema).\"_history\"" : "0::bigint"
        commands.append(Statement("SELECT pg_notify($1, $2), \(last)", parameters))
        return commands
    }
}
