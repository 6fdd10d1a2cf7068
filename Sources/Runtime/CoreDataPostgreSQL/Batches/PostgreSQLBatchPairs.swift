internal import CoreData
internal import Foundation
internal import PostgreSQLClient
internal import PostgreSQLSchema

/// Updates the inverses of one-to-one relationships that a batch update changes: both sides have a column.
struct PostgreSQLBatchPairs {
    private let store: PostgreSQLStore
    private let entity: PostgreSQLEntity
    private let rows: [(key: Int64, entity: PostgreSQLEntity)]

    init(
        store: PostgreSQLStore, entity: PostgreSQLEntity, rows: [(key: Int64, entity: PostgreSQLEntity)]
    ) {
        self.store = store
        self.entity = entity
        self.rows = rows
    }

    /// Clears the inverses in the rows' former partners, and sets that of the new one. Called in a transaction, before
    /// the rows are written.
    ///
    /// - Throws: An error with the code 134030 if several rows would have the same partner, which can only have one.
    func keep(_ assignments: [BatchChange.Assignment], _ record: inout PostgreSQLHistoryRecord) throws {
        for assignment in assignments {
            guard let pair = OneToOneColumns(assignment.slot, of: entity, in: store) else { continue }
            guard case .constant(let value) = assignment.value else { throw pair.failure(in: store) }
            try change(
                pair.destination, name: pair.inverseName, setters: Self.clearing(pair.inverse),
                where: "\(PostgreSQLName.quoted(pair.inverse.key)) = ANY($1)",
                parameters: [PostgreSQLValue(rows.map(\.key))],
                record: &record)
            guard case .reference(let id) = value, case .number(let partner) = id.reference else { continue }
            guard rows.count == 1, let row = rows.first else { throw pair.failure(in: store) }
            try change(
                entity, name: pair.name, setters: Self.clearing(pair.own),
                where: "\(PostgreSQLName.quoted(pair.own.key)) = $1 AND _pk <> $2",
                parameters: [PostgreSQLValue(partner), PostgreSQLValue(row.key)], record: &record)
            var setters = ["\(PostgreSQLName.quoted(pair.inverse.key)) = $2"]
            if let column = pair.inverse.entity {
                setters.append("\(PostgreSQLName.quoted(column)) = \(row.entity.number)")
            }
            try change(
                pair.destination, name: pair.inverseName, setters: setters, where: "_pk = $1",
                parameters: [PostgreSQLValue(partner), PostgreSQLValue(row.key)], record: &record)
        }
    }

    private static func clearing(_ columns: ToOneColumns) -> [String] {
        columns.names.map { "\(PostgreSQLName.quoted($0)) = NULL" }
    }

    /// Changes rows other than those of the request.
    private func change(
        _ entity: PostgreSQLEntity, name: String, setters: [String], where condition: String,
        parameters: [PostgreSQLValue], record: inout PostgreSQLHistoryRecord
    ) throws {
        let result = try store.run([
            Statement(
                "UPDATE \(entity.table) SET _version = _version + 1, \(setters.joined(separator: ", ")) "
                    + "WHERE \(condition) RETURNING _pk, _entity", parameters)
        ])[0]
        record.update(result, of: name, store)
    }
}

extension PostgreSQLHistoryRecord {
    /// Records that a property of rows changes.
    ///
    /// - Parameter result: The keys and entity numbers of the rows.
    mutating func update(_ result: Rows, of name: String, _ store: PostgreSQLStore) {
        for row in 0..<result.count {
            guard let key = result.integer(row, 0),
                let entity = result.integer(row, 1).flatMap({ store.entity(number: Int($0)) }),
                let slot = entity.layout.index(of: name)
            else { continue }
            update(key, entity, slots: [slot])
        }
    }
}
