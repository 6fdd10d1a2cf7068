internal import CSQLite3
internal import Foundation

/// Fetches, carried out by the file as far as SQL can say them.
extension SQLiteStore {
    /// The results of a request, in their order.
    func fetch(_ request: FetchSettings, for context: NSManagedObjectContext) throws -> [Any] {
        try search(request, for: context) { search in
            switch request.resultType {
            case .countResultType: [NSNumber(value: try search.count())]
            case .managedObjectIDResultType: try search.ids()
            case .dictionaryResultType: try search.dictionaries()
            default: try search.objects()
            }
        } ?? []
    }

    /// The objects that a request finds, in their order; nil for a request that does not ask for objects.
    func fetchObjects(_ request: FetchSettings, for context: NSManagedObjectContext) throws -> [NSManagedObject]? {
        guard request.resultType == .managedObjectResultType else { return nil }
        return try search(request, for: context) { try $0.objects() }
    }

    /// What a request's search gives; nil when the store does not have its entity.
    private func search<Result>(
        _ request: FetchSettings, for context: NSManagedObjectContext, _ body: (StoreSearch) throws -> Result
    ) throws -> Result? {
        guard let entity = (request.entity?.name ?? request.entityName).flatMap({ fetchModel?.entity(named: $0) })
        else { return nil }
        return try reporting(.coreData, "the store at \(fileURL.path) cannot be searched") {
            try body(StoreSearch(self, request, entity, context))
        }
    }
}

/// One request on its way through the file.
struct StoreSearch {
    private let store: SQLiteStore
    private let request: FetchSettings
    private let entity: FetchEntity
    private let context: NSManagedObjectContext
    private let connection: SQLiteConnection
    private let query: FetchQuery

    /// - Throws: nothing of what Apple's SQLite store refuses: that stops the program.
    init(
        _ store: SQLiteStore, _ request: FetchSettings, _ entity: FetchEntity, _ context: NSManagedObjectContext
    ) throws {
        self.store = store
        self.request = request
        self.entity = entity
        self.context = context
        connection = try store.connection()
        guard let model = store.fetchModel else { throw SQLiteError(code: SQLITE_MISUSE, message: "no model") }
        do {
            query = try FetchTranslator(model: model).query(request, entity)
        } catch let refused as RefusedRequest {
            misuse("NSInvalidArgumentException", refused.description)
        }
        try store.notice(connection)
    }

    /// The number of results.
    func count() throws -> Int {
        if query.isFiltered, let statement = try prepared(query.count) {
            defer { statement.clear() }
            return try statement.step() ? Int(statement.integer(0)) : 0
        }
        return try ids().count
    }

    /// The dictionaries of the results.
    func dictionaries() throws -> [NSDictionary] {
        // Finds out what is wrong with the request.
        let plan = DictionaryPlan(request, entity.layout)
        if let model = store.fetchModel, let query = try DictionaryQuery(request, entity, model),
            let statement = try prepared(query.statement)
        {
            defer { statement.clear() }
            var result: [NSDictionary] = []
            while try statement.step() { result.append(query.dictionary(statement, store)) }
            return result
        }
        var all = request
        all.resultType = .managedObjectResultType
        all.fetchLimit = 0
        all.fetchOffset = 0
        let search = try StoreSearch(store, all, entity, context)
        let reader = search.reader
        return plan.dictionaries(try search.ids().map { reader.object(with: $0) })
    }

    /// The objects. Their values are known then, unless they are not wanted.
    func objects() throws -> [NSManagedObject] {
        if query.isComplete, wantsRows, let stored = store.entity(entity.layout) {
            let reader = store.reader(below: stored)
            if let statement = try prepared(query.select("\(word: reader.rootSelection)")) {
                defer { statement.clear() }
                return try store.objects(of: statement, reader, context)
            }
        }
        return try ids().map { context.object(with: $0) }
    }

    /// Whether the values are read with the keys. With a batch size those of a batch are read when the first of its objects is
    /// used.
    private var wantsRows: Bool {
        request.resultType == .managedObjectResultType && request.includesPropertyValues && request.fetchBatchSize == 0
    }

    /// The IDs of the results. The values of managed objects are known then, unless they are not wanted.
    func ids() throws -> [NSManagedObjectID] {
        let found = try ids(of: query)
        if query.isComplete, let found { return found }
        // A statement that is too much for SQLite: all rows are candidates.
        var rest = query
        if found == nil { rest.loosen() }
        let candidates = try found ?? ids(of: rest) ?? []
        return try finish(candidates, rest)
    }

    /// The IDs that a query gives; nil if SQLite cannot carry it out.
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
        var ids: [NSManagedObjectID] = []
        var keys: [Int64] = []
        while try statement.step() {
            guard let found = store.entity(number: Int(statement.integer(1))) else { continue }
            keys.append(statement.integer(0))
            ids.append(store.id(statement.integer(0), found))
        }
        // When one of them is wanted, the next ones will be.
        store.neighbours[entity.mapping.rootNumber, default: RowNeighbours()].note(keys)
        return ids
    }

    /// With more values SQLite takes longer to compile a statement than the evaluator to do without: it compares each with all
    /// others. The limit of SQLite's own is some ten thousands.
    private static let argumentLimit = 5000

    /// A statement with its values bound; nil if it is too large, too deep or too wide for SQLite.
    private func prepared(_ fragment: SQLFragment) throws -> SQLiteStatement? {
        guard fragment.arguments.count <= Self.argumentLimit else { return nil }
        do {
            let statement = try connection.statement(fragment.text)
            statement.bind(fragment.arguments)
            return statement
        } catch {
            guard [SQLITE_ERROR, SQLITE_TOOBIG, SQLITE_RANGE].contains(error.primaryCode) else { throw error }
            Log.error("a fetch is carried out in memory: \(error.message)")
            return nil
        }
    }

    // MARK: What SQL cannot say

    /// A context whose objects are as they are saved: unsaved changes are the matter of the request's own.
    private var reader: NSManagedObjectContext {
        guard context.hasChanges else { return context }
        let reader = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        reader.persistentStoreCoordinator = store.persistentStoreCoordinator
        return reader
    }

    /// What is left of candidates in memory: those that match, in order, cut.
    private func finish(_ candidates: [NSManagedObjectID], _ query: FetchQuery) throws -> [NSManagedObjectID] {
        let reader = self.reader
        var objects = candidates.map { reader.object(with: $0) }
        if !query.isFiltered, let predicate = request.predicate {
            var session = PredicateEvaluator(predicate).session()
            objects.removeAll { !session.matches(slotted: $0) }
        }
        if !query.isSorted { objects.sort(by: request.sortDescriptors ?? []) }
        objects.cut(request)
        return objects.map(\.ownID)
    }
}

extension SQLiteStatement {
    /// Binds values to the places from one on.
    func bind(_ arguments: [SQLArgument], from start: Int32 = 1) {
        for (index, argument) in arguments.enumerated() {
            let place = start + Int32(index)
            switch argument {
            case .null: bindNull(at: place)
            case .integer(let number): bind(number, at: place)
            case .real(let number): bind(number, at: place)
            case .text(let text): bind(text, at: place)
            case .bytes(let bytes): bytes.withUnsafeBytes { bind($0, at: place) }
            }
        }
    }
}
