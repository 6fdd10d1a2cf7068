internal import CoreData
internal import Foundation
internal import PostgreSQLClient
internal import PostgreSQLSchema
internal import RuntimeSupport

/// Fetches, executed by the server as far as SQL can express them.
extension PostgreSQLStore: SearchableStore {
    /// Answers a search, completely if SQL can express all of it.
    ///
    /// - Parameter ahead: The result of `fetchAhead(_:)` for the search.
    func fetch(_ search: FetchSearch, ahead: AnyObject?) throws -> StoreAnswer {
        guard let model = fetchModel, let entity = model.entity(named: search.layout.name) else {
            return StoreAnswer(search.settings.resultType == .dictionaryResultType ? .dictionaries([]) : .ids([]))
        }
        return try reporting(.coreData, what: "the PostgreSQL store cannot be searched") {
            let ahead = (ahead as? PostgreSQLPrefetchedResult).flatMap {
                $0.commits == connections.commitCount ? $0 : nil
            }
            return try DatabaseSearch(in: self, model, for: search.settings, of: entity) { fragment in
                guard let statement = Statement(fragment, model.dialect) else { return nil }
                if let ahead, ahead.command == statement { return ahead.result }
                return try self.result(statement)
            }.answer()
        }
    }

    /// Executes the first statement of a search without the coordinator's lock, so that several threads can wait for
    /// the server at the same time.
    ///
    /// - Returns: The server's answer, or `nil` if the search must execute the statement again, which then also reports
    ///   any failure.
    func fetchAhead(_ search: FetchSearch) -> AnyObject? {
        let commits = connections.commitCount
        guard let model = fixed.fetchModel, let entity = model.entity(named: search.layout.name),
            let stored = fixed.entity(entity.layout),
            let database = try? DatabaseSearch(in: self, model, for: search.settings, of: entity, run: { _ in nil }),
            let fragment = try? database.firstStatement(reader(below: stored, fixed)),
            let command = Statement(fragment, model.dialect), let result = try? readAhead(command)
        else { return nil }
        return PostgreSQLPrefetchedResult(command: command, result: result, commits: commits)
    }

    /// Returns the result of a statement, or `nil` if the server cannot execute it, so that the evaluator must.
    private func result(_ statement: Statement) throws -> Rows? {
        do {
            return try readIfPossible(statement)
        } catch let failure as PostgreSQLError where failure.isOfStatement {
            Log.error("a fetch is executed in memory: \(failure.report)")
            return nil
        }
    }

    func columns(_ reader: PostgreSQLRowReader, alias: String) -> String { reader.selection(of: alias) }

    func integer(_ result: Rows) -> Int { Int(result.integer(0, 0) ?? 0) }

    func ids(_ result: Rows, of fetched: FetchEntity) -> [NSManagedObjectID] {
        var (ids, keys): ([NSManagedObjectID], [Int64]) = ([], [])
        for index in 0..<result.count {
            guard let key = result.integer(index, 0),
                let found = result.integer(index, 1).flatMap({ entity(number: Int($0)) })
            else { continue }
            keys.append(key)
            ids.append(id(key, found))
        }
        // When one of them is needed, the next ones will be as well.
        neighbors[fetched.mapping.rootNumber, default: RowNeighbors()].record(keys)
        return ids
    }

    func ids(_ result: Rows, _ reader: PostgreSQLRowReader) -> [NSManagedObjectID] {
        var ids: [NSManagedObjectID] = []
        forEachRow(of: result, reader) { key, entity, _ in ids.append(id(key, entity)) }
        return ids
    }

    func rows(_ result: Rows, _ reader: PostgreSQLRowReader) -> FetchedRows {
        FetchedRows(reader.storeIdentity) { body in
            self.forEachRow(of: result, reader) { key, entity, row in body(key, entity.layout, row) }
        }
    }

    /// Calls a function with the rows of a result, and caches their values.
    private func forEachRow(
        of result: Rows, _ reader: PostgreSQLRowReader, _ body: (Int64, PostgreSQLEntity, consuming Row) -> Void
    ) {
        var keys: [Int64] = []
        reader.forEach(result) { _, key, entity, row in
            keys.append(key)
            body(key, entity, row)
        }
        guard let root = reader.entities.first?.mapping.rootNumber else { return }
        neighbors[root, default: RowNeighbors()].record(keys)
    }

    func dictionaries(_ result: Rows, of query: DictionaryQuery) -> [NSDictionary] {
        (0..<result.count).map { query.dictionary(result, row: $0, store: self) }
    }
}

extension Statement {
    /// Creates the statement of a fragment, or returns `nil` if it has more arguments than the server accepts.
    fileprivate init?(_ fragment: SQLFragment, _ dialect: any SQLDialect) {
        guard fragment.arguments.count <= dialect.limits.arguments else { return nil }
        self.init(dialect.statement(fragment), fragment.arguments.map { PostgreSQLValue($0) })
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

extension PostgreSQLStore {
    /// Runs a read-only statement. If the server cannot execute it, an open transaction or query generation continues.
    fileprivate func readIfPossible(_ command: Statement) throws -> Rows {
        guard let held = connections.held else { return try read([command])[0] }
        do {
            return try held.run([
                Statement("SAVEPOINT modelc_read"), command, Statement("RELEASE SAVEPOINT modelc_read"),
            ])[1]
        } catch let failure as PostgreSQLError where failure.isOfStatement {
            try held.rollBack(toSavepoint: "modelc_read")
            throw failure
        }
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
