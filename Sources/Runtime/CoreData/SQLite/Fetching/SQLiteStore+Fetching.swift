internal import CSQLite3
internal import Foundation
internal import RuntimeSupport

/// Fetches, executed by the database as far as SQL can express them.
extension SQLiteStore: SearchableStore {
    /// Answers a search, completely if SQL can express all of it.
    func fetch(_ search: FetchSearch, ahead: AnyObject?) throws -> StoreAnswer {
        guard let model = fetchModel, let entity = model.entity(named: search.layout.name) else {
            return StoreAnswer(search.settings.resultType == .dictionaryResultType ? .dictionaries([]) : .ids([]))
        }
        return try reporting(.coreData, what: "the store at \(fileURL.path) cannot be searched") {
            let connection = try connection()
            let database = try DatabaseSearch(in: self, model, for: search.settings, of: entity) {
                try Self.prepared($0, connection, model.dialect)
            }
            try invalidateIfChanged(connection)
            return try database.answer()
        }
    }

    /// Returns a statement with its values bound, or `nil` if it is too large, too deep or too wide for SQLite.
    private static func prepared(
        _ fragment: SQLFragment, _ connection: SQLiteConnection, _ dialect: any SQLDialect
    ) throws -> SQLiteStatement? {
        guard fragment.arguments.count <= dialect.limits.arguments else { return nil }
        do {
            let statement = try connection.statement(dialect.statement(fragment))
            statement.bind(fragment.arguments)
            return statement
        } catch {
            guard [SQLITE_ERROR, SQLITE_TOOBIG, SQLITE_RANGE].contains(error.primaryCode) else { throw error }
            Log.error("a fetch is executed in memory: \(error.message)")
            return nil
        }
    }

    func columns(_ reader: RowReader, alias: String) -> String {
        alias == QueryScope.rootAlias ? reader.rootSelection : reader.selection(of: alias)
    }

    func integer(_ statement: SQLiteStatement) throws -> Int {
        defer { statement.clear() }
        return try statement.step() ? Int(statement.integer(0)) : 0
    }

    func ids(_ statement: SQLiteStatement, of fetched: FetchEntity) throws -> [NSManagedObjectID] {
        defer { statement.clear() }
        let only = entity(fetched.layout).flatMap { $0.ownsTable ? $0 : nil }
        var ids: [NSManagedObjectID] = []
        var keys: [Int64] = []
        while try statement.step() {
            guard let found = only ?? entity(number: Int(truncatingIfNeeded: statement.integer(1))) else { continue }
            keys.append(statement.integer(0))
            ids.append(id(statement.integer(0), found))
        }
        // When one of them is needed, the next ones will be as well.
        neighbors[fetched.mapping.rootNumber, default: RowNeighbors()].record(keys)
        return ids
    }

    func ids(_ statement: SQLiteStatement, _ reader: RowReader) throws -> [NSManagedObjectID] {
        defer { statement.clear() }
        return try ids(of: statement, reader)
    }

    func rows(_ statement: SQLiteStatement, _ reader: RowReader) -> FetchedRows {
        FetchedRows(reader.storeIdentity) { body in
            try self.reporting(.coreData, what: "the store at \(self.fileURL.path) cannot be searched") {
                defer { statement.clear() }
                try self.forEachRow(of: statement, reader, body)
            }
        }
    }

    func dictionaries(_ statement: SQLiteStatement, of query: DictionaryQuery) throws -> [NSDictionary] {
        defer { statement.clear() }
        var result: [NSDictionary] = []
        while try statement.step() { result.append(query.dictionary(statement, self)) }
        return result
    }
}
