internal import CompiledModel
internal import CoreData
internal import Foundation
internal import PostgreSQLClient
internal import PostgreSQLSchema

extension PostgreSQLStore {
    var keepsHistory: Bool { history.exists }

    var lastOwnTransaction: Int64? { history.lastOwn }

    private var historyTable: String { "\(PostgreSQLName.quoted(namespace)).\"_history\"" }
    private var transactionTable: String { "\(PostgreSQLName.quoted(namespace)).\"_transactions\"" }
    private var changeTable: String { "\(PostgreSQLName.quoted(namespace)).\"_changes\"" }

    func lastTransaction() throws -> Int64 {
        try reporting(.coreData, what: "the history of the store cannot be read") {
            try run([Statement("SELECT \"last\" FROM \(historyTable)")])[0].integer(0, 0) ?? 0
        }
    }

    // MARK: Reading

    func history(after position: HistoryPosition, includesChanges: Bool) throws -> [HistoryRecord] {
        try history(after: position, includesChanges: includesChanges, except: nil).records
    }

    /// Returns the transactions after a position, and the number of the last existing one.
    ///
    /// - Parameter writer: The program whose transactions are excluded; `nil` if there is none.
    func history(
        after position: HistoryPosition, includesChanges: Bool, except writer: String?
    ) throws -> (records: [HistoryRecord], last: Int64) {
        try reporting(.coreData, what: "the history of the store cannot be read") {
            let (condition, parameters) = Self.condition(position, ">", except: writer)
            var commands = [
                // All statements see one state.
                PostgreSQLConnection.beginStatement(.repeatableRead, readOnly: true),
                Statement(
                    "SELECT \"last\", (SELECT min(\"number\") FROM \(transactionTable)), "
                        + "\(stampQuery) FROM \(historyTable)"),
                Statement(
                    "SELECT \"number\", \"timestamp\", \"author\", \"context\", \"bundle\", \"process\" FROM \(transactionTable) "
                        + "WHERE \(condition) ORDER BY \"number\"", parameters),
            ]
            if includesChanges {
                commands.append(
                    Statement(
                        "SELECT \"number\", \"transaction\", \"kind\", \"entity\", \"key\", \"columns\", \"tombstone\" FROM \(changeTable) "
                            + "WHERE \"transaction\" IN (SELECT \"number\" FROM \(transactionTable) WHERE \(condition)) "
                            + "ORDER BY \"transaction\", \"number\"", parameters))
            }
            commands.append(Statement("COMMIT"))
            // Readers of changes usually fetch the changed objects next.
            evictRows()
            let results = try runOutsideTransaction(commands)
            try checkVersion(results[1].string(0, 2))
            let last = results[1].integer(0, 0) ?? 0
            try checkExpiry(position, first: results[1].integer(0, 1) ?? last + 1, last: last)
            var records = transactions(results[2])
            if includesChanges { addChanges(results[3], to: &records) }
            return (records, last)
        }
    }

    /// Throws an error if a transaction after a position was deleted, or the position is not in this history.
    private func checkExpiry(_ position: HistoryPosition, first: Int64, last: Int64) throws {
        guard case .transaction(let number) = position, number + 1 < first || number > last else { return }
        throw CoreDataError.error(
            .persistentHistoryTokenExpired,
            text:
                "the history after the token is not all there any more: it begins with transaction \(first), and the token "
                + "names transaction \(number)", userInfo: [NSAffectedStoresErrorKey: affectedStores])
    }

    private static func condition(
        _ position: HistoryPosition, _ comparison: String, except writer: String? = nil
    ) -> (String, [PostgreSQLValue]) {
        var (condition, parameters): (String, [PostgreSQLValue]) =
            switch position {
            case .beginning: ("true", [])
            case .transaction(let number): ("\"number\" \(comparison) $1", [PostgreSQLValue(number)])
            case .date(let date):
                ("\"timestamp\" \(comparison) $1", [PostgreSQLValue(date.timeIntervalSinceReferenceDate)])
            }
        if let writer {
            parameters.append(PostgreSQLValue(writer))
            condition += " AND \"writer\" IS DISTINCT FROM $\(parameters.count)"
        }
        return (condition, parameters)
    }

    private func transactions(_ result: Rows) -> [HistoryRecord] {
        (0..<result.count).map { row in
            let seconds = result.bytes(row, 1).flatMap(PostgreSQLBytes.double) ?? 0
            return HistoryRecord(
                number: result.integer(row, 0) ?? 0, storeUUID: identifier,
                timestamp: Date(timeIntervalSinceReferenceDate: seconds), author: result.string(row, 2),
                contextName: result.string(row, 3), bundleID: result.string(row, 4) ?? "",
                processID: result.string(row, 5) ?? "")
        }
    }

    private func addChanges(_ result: Rows, to records: inout [HistoryRecord]) {
        for index in records.indices { records[index].changes = [] }
        var index = 0
        for row in 0..<result.count {
            let transaction = result.integer(row, 1) ?? 0
            while index < records.count, records[index].number < transaction { index += 1 }
            guard index < records.count else { break }
            guard records[index].number == transaction, let change = change(result, row) else { continue }
            records[index].changes?.append(change)
        }
    }

    /// Returns the change in a row, or `nil` if the model no longer contains its entity.
    private func change(_ result: Rows, _ row: Int) -> HistoryRecord.Change? {
        guard let entity = result.integer(row, 3).flatMap({ entity(number: Int(truncatingIfNeeded: $0)) }),
            let kind = result.integer(row, 2).flatMap({ NSPersistentHistoryChangeType(rawValue: Int($0)) }),
            let key = result.integer(row, 4)
        else { return nil }
        var change = HistoryRecord.Change(number: result.integer(row, 0) ?? 0, kind: kind, id: id(key, entity))
        switch kind {
        case .insert: break
        case .update:
            change.slots = result.bytes(row, 5).map {
                ColumnBits.slots($0, count: entity.layout.slots.count)
            }
        case .delete:
            guard let bytes = result.bytes(row, 6),
                let kept = (try? PropertyListValue(binary: [UInt8](bytes)))?.foundationValue as? [String: Any]
            else { break }
            var values: [AnyHashable: Any] = [:]
            for tombstone in history.tombstones(of: entity) {
                guard let bytes = kept[tombstone.name] as? Data else { continue }
                values[tombstone.name] = bytes.withUnsafeBytes { tombstone.coding.value($0).anyValue }
            }
            if !values.isEmpty { change.tombstone = values }
        }
        return change
    }

    // MARK: Deleting

    func deleteHistory(before position: HistoryPosition) throws -> Int {
        try reporting(.persistentStoreSave, what: "the history of the store cannot be deleted") {
            let (condition, parameters) = Self.condition(position, "<")
            return try transaction([
                Statement(
                    "DELETE FROM \(changeTable) WHERE \"transaction\" IN (SELECT \"number\" FROM \(transactionTable) WHERE \(condition))",
                    parameters),
                Statement("DELETE FROM \(transactionTable) WHERE \(condition)", parameters),
            ]) { $0[1].affectedRows }
        }
    }
}
