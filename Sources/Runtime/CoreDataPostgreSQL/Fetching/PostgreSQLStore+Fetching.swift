internal import CoreData
internal import Foundation
internal import PostgreSQLClient
internal import PostgreSQLSchema
internal import RuntimeSupport

/// Fetches, executed by the server as far as SQL can express them.
extension PostgreSQLStore {
    /// Answers a search, completely if SQL can express all of it.
    ///
    /// - Parameter ahead: the result of `answerAhead(_:)` for the search.
    func answer(_ search: FetchSearch, _ ahead: AnyObject? = nil) throws -> StoreAnswer {
        let request = search.settings
        guard let model = fetchModel, let entity = model.entity(named: search.layout.name) else {
            return StoreAnswer(request.resultType == .dictionaryResultType ? .dictionaries([]) : .ids([]))
        }
        return try reporting(.coreData, what: "the PostgreSQL store cannot be searched") {
            let ahead = (ahead as? PostgreSQLPrefetchedResult).flatMap {
                $0.commits == connections.commitCount ? $0 : nil
            }
            let search = try PostgreSQLSearch(store: self, model: model, request: request, entity: entity, ahead: ahead)
            return switch request.resultType {
            case .countResultType: try search.count()
            case .dictionaryResultType: try search.dictionaries()
            case .managedObjectIDResultType: try search.candidates()
            default: try search.rows()
            }
        }
    }

    /// Executes the first statement of a search without the coordinator's lock, so that several threads can wait for
    /// the server at the same time.
    ///
    /// - Returns: the server's answer, or `nil` if the search must execute the statement again, which then also reports
    ///   any failure.
    func answerAhead(_ search: FetchSearch) -> PostgreSQLPrefetchedResult? {
        let commits = connections.commitCount
        guard let model = fixed.fetchModel, let entity = model.entity(named: search.layout.name),
            let statement = try? PostgreSQLSearch(
                store: self, model: model, request: search.settings, entity: entity, ahead: nil
            ).firstStatement,
            statement.arguments.count <= model.dialect.limits.arguments
        else { return nil }
        let command = Statement(
            model.dialect.statement(statement), statement.arguments.map { PostgreSQLValue($0) })
        guard let result = try? readAhead(command) else { return nil }
        return PostgreSQLPrefetchedResult(command: command, result: result, commits: commits)
    }
}

/// The server's answer to a statement that a search will need.
final class PostgreSQLPrefetchedResult {
    let command: Statement
    let result: Rows
    /// The number of commits of the store before the statement ran.
    let commits: Int

    init(command: Statement, result: Rows, commits: Int) {
        self.command = command
        self.result = result
        self.commits = commits
    }
}

/// The execution of a request by the server.
private struct PostgreSQLSearch {
    private let store: PostgreSQLStore
    private let model: FetchModel
    private let request: FetchSettings
    private let entity: FetchEntity
    private let query: FetchQuery
    private let ahead: PostgreSQLPrefetchedResult?

    /// Traps, rather than throws, on requests that Apple's SQLite store rejects.
    init(
        store: PostgreSQLStore, model: FetchModel, request: FetchSettings, entity: FetchEntity,
        ahead: PostgreSQLPrefetchedResult?
    ) throws {
        self.ahead = ahead
        self.store = store
        self.model = model
        self.request = request
        self.entity = entity
        do {
            query = try FetchTranslator(model: model).query(request, entity)
        } catch let refused as RefusedRequest {
            misuse("NSInvalidArgumentException", refused.description)
        }
    }

    /// The first statement of an answer, as far as it can be determined without the coordinator's lock.
    var firstStatement: SQLFragment? {
        get throws {
            switch request.resultType {
            case .countResultType: canCount ? query.count : nil
            case .dictionaryResultType: try DictionaryQuery(settings: request, entity: entity, model: model)?.statement
            default: store.fixed.entity(entity.layout).map { selection(query, store.reader(below: $0, store.fixed)) }
            }
        }
    }

    private var canCount: Bool {
        query.isComplete || query.isFiltered && request.fetchLimit == 0 && request.fetchOffset == 0
    }

    /// Returns the statement for the rows, or only for the keys if neither the request nor the rest of the search needs
    /// values.
    private func selection(_ query: FetchQuery, _ reader: PostgreSQLRowReader) -> SQLFragment {
        if wantsRows || !query.isComplete {
            return query.select("\(word: reader.selection(of: query.root.alias))")
        }
        let dialect = model.dialect
        let key = dialect.column(dialect.keyColumn, of: query.root.alias)
        let number = dialect.column(dialect.entityColumn, of: query.root.alias)
        return query.select("\(key), \(number)")
    }

    /// Returns the number of results.
    func count() throws -> StoreAnswer {
        if canCount, let result = try result(query.count) {
            return StoreAnswer(.count(Int(result.integer(0, 0) ?? 0)))
        }
        return try candidates()
    }

    /// Returns the dictionaries of the results.
    func dictionaries() throws -> StoreAnswer {
        // Checks the request.
        _ = DictionaryPlan(request, entity.layout)
        if let query = try DictionaryQuery(settings: request, entity: entity, model: model),
            let result = try result(query.statement)
        {
            return StoreAnswer(
                .dictionaries((0..<result.count).map { query.dictionary(result, row: $0, store: store) }))
        }
        // The limit counts dictionaries.
        var all = request
        all.resultType = .managedObjectResultType
        all.fetchLimit = 0
        all.fetchOffset = 0
        return try PostgreSQLSearch(store: store, model: model, request: all, entity: entity, ahead: nil).candidates()
    }

    /// Returns the rows of the results, or only their IDs if the request does not include values or SQL cannot express
    /// all of it.
    func rows() throws -> StoreAnswer {
        guard query.isComplete, wantsRows, let stored = store.entity(entity.layout) else { return try candidates() }
        let reader = store.reader(below: stored)
        guard let result = try result(selection(query, reader)) else { return try candidates() }
        let (store, root) = (store, entity.mapping.rootNumber)
        return StoreAnswer(
            .rows(
                FetchedRows(reader.storeIdentity) { body in
                    var keys: [Int64] = []
                    reader.forEach(result) { _, key, entity, row in
                        keys.append(key)
                        body(key, entity.layout, row)
                    }
                    store.neighbors[root, default: RowNeighbors()].record(keys)
                }))
    }

    /// Whether the values are read with the keys. With a batch size, a batch's values are read when the first of its
    /// objects is used.
    private var wantsRows: Bool {
        request.resultType == .managedObjectResultType && request.includesPropertyValues && request.fetchBatchSize == 0
    }

    /// Returns the IDs of the results, or of candidates, and caches their values.
    func candidates() throws -> StoreAnswer {
        if let found = try ids(of: query) { return StoreAnswer(.ids(found), remaining: query.remaining) }
        // If the server cannot execute the statement, all rows are candidates.
        var rest = query
        rest.dropPredicateAndOrder()
        guard let found = try ids(of: rest) else {
            throw PostgreSQLError(.other, "the server cannot execute the fetch, even without predicate and order")
        }
        return StoreAnswer(.ids(found), remaining: rest.remaining)
    }

    /// Returns the IDs that a query yields, or `nil` if the server cannot execute it.
    private func ids(of query: FetchQuery) throws -> [NSManagedObjectID]? {
        guard let stored = store.entity(entity.layout) else { return [] }
        var ids: [NSManagedObjectID] = []
        var keys: [Int64] = []
        let reader = store.reader(below: stored)
        guard let result = try result(selection(query, reader)) else { return nil }
        if wantsRows || !query.isComplete {
            reader.forEach(result) { _, key, entity, _ in
                keys.append(key)
                ids.append(store.id(key, entity))
            }
        } else {
            for index in 0..<result.count {
                guard let key = result.integer(index, 0),
                    let found = result.integer(index, 1).flatMap({ store.entity(number: Int($0)) })
                else { continue }
                keys.append(key)
                ids.append(store.id(key, found))
            }
        }
        // When one of them is needed, the next ones will be as well.
        store.neighbors[entity.mapping.rootNumber, default: RowNeighbors()].record(keys)
        return ids
    }

    /// Returns the result of a statement, or `nil` if the server cannot execute it, so that the evaluator must.
    private func result(_ fragment: SQLFragment) throws -> Rows? {
        guard fragment.arguments.count <= model.dialect.limits.arguments else { return nil }
        let command = Statement(
            model.dialect.statement(fragment), fragment.arguments.map { PostgreSQLValue($0) })
        if let ahead, ahead.command == command { return ahead.result }
        do {
            return try store.readIfPossible(command)
        } catch let failure as PostgreSQLError where failure.isOfStatement {
            Log.error("a fetch is carried out in memory: \(failure.report)")
            return nil
        }
    }
}

extension PostgreSQLStore {
    /// Runs a read-only statement. If the server cannot execute it, an open transaction or query generation goes on.
    fileprivate func readIfPossible(_ command: Statement) throws -> Rows {
        guard let held = connections.held else { return try read([command])[0] }
        do {
            return try held.run([
                Statement("SAVEPOINT modelc_read"), command, Statement("RELEASE SAVEPOINT modelc_read"),
            ])[1]
        } catch let failure as PostgreSQLError where failure.isOfStatement {
            _ = try held.run([Statement("ROLLBACK TO SAVEPOINT modelc_read")])
            throw failure
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

extension DictionaryQuery {
    /// Returns the dictionary for a row of a result. A missing value has no key.
    fileprivate func dictionary(_ result: Rows, row: Int, store: PostgreSQLStore) -> NSDictionary {
        let dictionary = NSMutableDictionary()
        var position = 0
        for (column, reading) in columns {
            switch reading {
            case .value(let type):
                if let value = column.result(result.value(row, column: position, type: type)) {
                    dictionary[column.name] = value
                }
                position += 1
            case .exactDecimal:
                let sum = result.value(row, column: position, type: .decimal)
                // An empty sum is the integer zero.
                if let value = column.result(sum.isNull ? .integer(0) : sum) { dictionary[column.name] = value }
                position += 1
            case .object:
                if let key = result.integer(row, position),
                    let entity = result.integer(row, position + 1).flatMap({ store.entity(number: Int($0)) })
                {
                    dictionary[column.name] = store.id(key, entity)
                }
                position += 2
            }
        }
        return dictionary
    }
}

extension Rows {
    /// Returns the value of a column in the evaluator's form, based on its type in the result, which for calculations
    /// may differ from that of the translation.
    fileprivate func value(_ row: Int, column: Int, type: SQLType) -> PredicateValue {
        guard let bytes = bytes(row, column) else { return .null }
        switch type {
        case .string: return .string(String(decoding: bytes, as: UTF8.self))
        case .uri: return PredicateValue(any: URL(string: String(decoding: bytes, as: UTF8.self)))
        case .data: return .data(Data(bytes))
        case .uuid: return bytes.count == 16 ? .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))) : .null
        case .date: return number(bytes, column).map { .date($0.double) } ?? .null
        case .boolean:
            if self.type(ofColumn: column) == PostgreSQLValue.TypeNumber.boolean {
                return .boolean(bytes.first != 0)
            }
            return number(bytes, column).map { .boolean($0.double != 0) } ?? .null
        case .decimal:
            switch number(bytes, column) {
            case .decimal(let text): return .decimal(NSDecimalNumber(string: text))
            case .whole(let whole): return .decimal(NSDecimalNumber(value: whole))
            case .real(let real): return NSDecimalNumber(shortest: real).map { .decimal($0) } ?? .null
            case nil: return .null
            }
        case .real: return number(bytes, column).map { .real($0.double) } ?? .null
        case .integer, .number:
            switch number(bytes, column) {
            case .whole(let whole): return .integer(whole)
            case .real(let real): return .real(real)
            case .decimal(let text): return Int64(text).map { .integer($0) } ?? .real(Double(text) ?? 0)
            case nil: return .null
            }
        }
    }

    private func number(_ bytes: UnsafeRawBufferPointer, _ column: Int) -> ResultNumber? {
        switch type(ofColumn: column) {
        case PostgreSQLValue.TypeNumber.numeric: PostgreSQLNumeric.text(bytes).map { .decimal($0) }
        case PostgreSQLValue.TypeNumber.float4, PostgreSQLValue.TypeNumber.float8:
            PostgreSQLBytes.double(bytes).map { .real($0) }
        default: PostgreSQLBytes.integer(bytes).map { .whole($0) }
        }
    }
}

/// A number in a server's result.
private enum ResultNumber {
    case whole(Int64)
    case real(Double)
    case decimal(String)

    var double: Double {
        switch self {
        case .whole(let number): Double(number)
        case .real(let number): number
        case .decimal(let text): Double(text) ?? 0
        }
    }
}
