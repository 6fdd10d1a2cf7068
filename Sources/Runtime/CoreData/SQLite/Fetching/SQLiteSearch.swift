internal import CSQLite3
internal import Foundation
internal import RuntimeSupport

/// The execution of a request by the database.
struct SQLiteSearch {
    private let store: SQLiteStore
    private let request: FetchSettings
    private let entity: FetchEntity
    private let connection: SQLiteConnection
    private let query: FetchQuery

    /// Traps, rather than throws, on requests that Apple's SQLite store rejects.
    init(store: SQLiteStore, request: FetchSettings, entity: FetchEntity) throws {
        self.store = store
        self.request = request
        self.entity = entity
        connection = try store.connection()
        guard let model = store.fetchModel else { throw SQLiteError(code: SQLITE_MISUSE, message: "no model") }
        do {
            query = try FetchTranslator(model: model).query(request, entity)
        } catch let refused as RefusedRequest {
            misuse("NSInvalidArgumentException", refused.description)
        }
        try store.invalidateIfChanged(connection)
    }

    /// Returns the number of results.
    func count() throws -> StoreAnswer {
        if query.isFiltered, let statement = try prepared(query.count) {
            defer { statement.clear() }
            return StoreAnswer(.count(try statement.step() ? Int(statement.integer(0)) : 0))
        }
        return try candidates()
    }

    /// Returns the dictionaries of the results.
    func dictionaries() throws -> StoreAnswer {
        // Checks the request.
        _ = DictionaryPlan(request, entity.layout)
        if let model = store.fetchModel,
            let query = try DictionaryQuery(settings: request, entity: entity, model: model),
            let statement = try prepared(query.statement)
        {
            defer { statement.clear() }
            var result: [NSDictionary] = []
            while try statement.step() { result.append(query.dictionary(statement, store)) }
            return StoreAnswer(.dictionaries(result))
        }
        // The limit counts dictionaries.
        var all = request
        all.resultType = .managedObjectResultType
        all.fetchLimit = 0
        all.fetchOffset = 0
        return try SQLiteSearch(store: store, request: all, entity: entity).candidates()
    }

    /// Returns the rows of the results, or only their IDs if the request does not include values or SQL cannot express
    /// all of it.
    func rows() throws -> StoreAnswer {
        if query.isComplete, wantsRows, let stored = store.entity(entity.layout) {
            let reader = store.reader(below: stored)
            if let statement = try prepared(query.select("\(word: reader.rootSelection)")) {
                let store = store
                return StoreAnswer(
                    .rows(
                        FetchedRows(reader.storeIdentity) { body in
                            try store.reporting(
                                .coreData, what: "the store at \(store.fileURL.path) cannot be searched"
                            ) {
                                defer { statement.clear() }
                                try store.forEachRow(of: statement, reader, body)
                            }
                        }))
            }
        }
        return try candidates()
    }

    /// Whether the values are read with the keys. With a batch size, a batch's values are read when the first of its
    /// objects is used.
    private var wantsRows: Bool {
        request.resultType == .managedObjectResultType && request.includesPropertyValues && request.fetchBatchSize == 0
    }

    /// Returns the IDs of the results, or of candidates, and caches their values.
    func candidates() throws -> StoreAnswer {
        let found = try ids(of: query)
        // If the statement exceeds SQLite's limits, all rows are candidates.
        var rest = query
        if found == nil { rest.dropPredicateAndOrder() }
        return StoreAnswer(.ids(try found ?? ids(of: rest) ?? []), remaining: rest.remaining)
    }

    /// Returns the IDs that a query yields, or nil if SQLite cannot execute it.
    private func ids(of query: FetchQuery) throws -> [NSManagedObjectID]? {
        guard wantsRows || !query.isComplete, let stored = store.entity(entity.layout) else {
            return try keys(of: query)
        }
        let reader = store.reader(below: stored)
        guard let statement = try prepared(query.select("\(word: reader.rootSelection)")) else {
            return nil
        }
        defer { statement.clear() }
        return try store.ids(of: statement, reader)
    }

    private func keys(of query: FetchQuery) throws -> [NSManagedObjectID]? {
        let alias = query.root.alias
        guard let statement = try prepared(query.select("\(word: alias).Z_PK, \(word: alias).Z_ENT")) else {
            return nil
        }
        defer { statement.clear() }
        let lone = store.entity(entity.layout).flatMap { $0.isAlone ? $0 : nil }
        var ids: [NSManagedObjectID] = []
        var keys: [Int64] = []
        while try statement.step() {
            guard let found = lone ?? store.entity(number: Int(truncatingIfNeeded: statement.integer(1))) else {
                continue
            }
            keys.append(statement.integer(0))
            ids.append(store.id(statement.integer(0), found))
        }
        // When one of them is needed, the next ones will be as well.
        store.neighbors[entity.mapping.rootNumber, default: RowNeighbors()].record(keys)
        return ids
    }

    /// Returns a statement with its values bound, or nil if it is too large, too deep or too wide for SQLite.
    private func prepared(_ fragment: SQLFragment) throws -> SQLiteStatement? {
        let dialect = query.root.scope.dialect
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
}

extension FetchQuery {
    /// The parts of the request that SQL does not execute.
    fileprivate var remaining: StoreAnswer.Remaining {
        guard !isComplete else { return [] }
        return (isFiltered ? [] : StoreAnswer.Remaining.predicate).union(isSorted ? [] : .order).union(.range)
    }
}
