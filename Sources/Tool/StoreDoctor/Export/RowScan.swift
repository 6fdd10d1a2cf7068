internal import CSQLite3
internal import CoreData
internal import StoreFile

/// Reads the rows of a hierarchy in the order of their keys, with the members of its to-many relationships.
struct RowScan {
    /// A row that is being read.
    struct Row {
        let statement: OpaquePointer
        let key: Int64
        let entity: ExportPlan.Entity
        fileprivate let cursors: [MemberCursor]

        /// Calls a closure with the key and the entity number of each member of a to-many relationship.
        func forEachMember(
            _ cursor: Int, _ body: (Int64, Int) throws(StoreExporter.Failure) -> Void
        ) throws(StoreExporter.Failure) {
            try cursors[cursor].forEachMember(of: key, body)
        }
    }

    let plan: ExportPlan
    let hierarchy: ExportPlan.Hierarchy

    /// Calls a closure with each row.
    ///
    /// - Returns: The number of rows that are not exported, or that no import accepts.
    func run(
        _ body: (Row) throws(StoreExporter.Failure) -> Void
    ) throws(StoreExporter.Failure) -> [StoreExporter.Problem.Reason: Int] {
        do {
            return try scan(body)
        } catch let failure as StoreExporter.Failure {
            throw failure
        } catch let failure as DoctorDatabase.Failure {
            throw StoreExporter.failure(failure)
        } catch {
            throw StoreExporter.Failure(.notAStore, "\(error)", help: "Find out more with `modelc store check`.")
        }
    }

    private func scan(
        _ body: (Row) throws(StoreExporter.Failure) -> Void
    ) throws -> [StoreExporter.Problem.Reason: Int] {
        let query = try plan.database.query(hierarchy.query)
        var position: Int32 = 1
        for selection in hierarchy.condition?.selections ?? [] {
            let code = selection.bind(to: query.statement, from: position)
            guard code == SQLITE_OK else {
                throw DoctorDatabase.Failure(code: code, message: String(cString: sqlite3_errstr(code)))
            }
            position += selection.argumentCount
        }
        let cursors = try hierarchy.cursors.map { MemberCursor(try plan.database.query($0.query), $0) }
        let alone = hierarchy.hasSingleEntity ? hierarchy.entities.values.first : nil
        var rest: [Int: Int]?
        if let limit = plan.options.limit { rest = hierarchy.entities.mapValues { _ in limit } }
        if rest?.values.allSatisfy({ $0 == 0 }) == true { return [:] }
        var irregular: [StoreExporter.Problem.Reason: Int] = [:]
        let isFiltered = hierarchy.condition != nil
        while try query.step() {
            let number = Int(truncatingIfNeeded: sqlite3_column_int64(query.statement, 1))
            guard let entity = alone ?? hierarchy.entities[number] else {
                if !isFiltered { irregular[isAbstract(number) ? .abstractEntity : .unknownEntity, default: 0] += 1 }
                continue
            }
            if let left = rest?[entity.number] {
                guard left > 0 else { continue }
                rest?[entity.number] = left - 1
            }
            let key = sqlite3_column_int64(query.statement, 0)
            if !RestoredTable.isValidKey(key) { irregular[.invalidKey, default: 0] += 1 }
            try body(Row(statement: query.statement, key: key, entity: entity, cursors: cursors))
            if rest?.values.allSatisfy({ $0 == 0 }) == true { break }
        }
        return irregular
    }

    /// Returns whether a number is that of an abstract entity of the table.
    private func isAbstract(_ number: Int) -> Bool {
        plan.layout.entity(number: number).map { $0.isAbstract && $0.table == hierarchy.table } ?? false
    }
}

/// The members of a to-many relationship by ascending owner, of which one is in memory at a time.
final class MemberCursor {
    private let query: SQLiteQuery
    private let plan: ExportPlan.Cursor
    private var owner: Int64?
    private var isStarted = false

    init(_ query: SQLiteQuery, _ plan: ExportPlan.Cursor) {
        self.query = query
        self.plan = plan
    }

    /// Calls a closure with the members of an owner. Owners must be asked for by ascending key.
    func forEachMember(
        of key: Int64, _ body: (Int64, Int) throws(StoreExporter.Failure) -> Void
    ) throws(StoreExporter.Failure) {
        if !isStarted {
            isStarted = true
            try advance()
        }
        while let found = owner, found < key { try advance() }
        while owner == key {
            var number = plan.destination.number
            if plan.isPolymorphic, sqlite3_column_type(query.statement, 2) == SQLITE_INTEGER {
                number = Int(truncatingIfNeeded: sqlite3_column_int64(query.statement, 2))
            }
            try body(sqlite3_column_int64(query.statement, 1), number)
            try advance()
        }
    }

    private func advance() throws(StoreExporter.Failure) {
        do throws(DoctorDatabase.Failure) {
            owner = try query.step() ? sqlite3_column_int64(query.statement, 0) : nil
        } catch {
            throw StoreExporter.failure(error)
        }
    }
}
