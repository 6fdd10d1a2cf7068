internal import Foundation

/// Fetches.
extension SQLiteStore {
    /// The results of a request: objects of the context, their IDs, or one number.
    ///
    /// What SQL can say is left to SQLite; the rest is done with the objects that it finds.
    func fetched(_ request: FetchSettings, for context: NSManagedObjectContext) throws -> [Any] {
        let layout = context.layout(of: request)
        guard let model = fetchModel, let entity = model.entity(named: layout.name) else {
            return request.resultType == .countResultType ? [NSNumber(value: 0)] : []
        }
        let query = try translated(request, FetchTranslator(model: model), entity)
        return try reporting(.coreData, "objects of the entity “\(layout.name)” cannot be fetched") {
            let connection = try connection()
            try notice(connection)
            if request.resultType == .countResultType, query.isComplete {
                return [NSNumber(value: try count(query, connection))]
            }
            let isWhole = request.includesPropertyValues && request.resultType == .managedObjectResultType
            let ids = try ids(query, isWhole: isWhole || !query.isComplete, request, layout, connection)
            if query.isComplete, request.resultType == .managedObjectIDResultType { return ids }
            var objects = ids.map { context.object(with: $0) }
            if !query.isComplete { try finish(&objects, query, request, context) }
            switch request.resultType {
            case .managedObjectIDResultType: return objects.map(\.objectID)
            case .countResultType: return [NSNumber(value: objects.count)]
            default: return objects
            }
        }
    }

    private func translated(
        _ request: FetchSettings, _ translator: FetchTranslator, _ entity: FetchEntity
    ) throws -> FetchQuery {
        do {
            return try translator.query(request, entity)
        } catch let refusal as RefusedRequest {
            misuse("NSInvalidArgumentException", refusal.description)
        }
    }

    private func count(_ query: FetchQuery, _ connection: SQLiteConnection) throws -> Int64 {
        let statement = try statement(query.count, connection)
        defer { statement.clear() }
        return try statement.step() ? statement.integer(0) : 0
    }

    /// The IDs of the rows that a query finds.
    ///
    /// - Parameter isWhole: whether the values are read too, so that nothing has to be asked when they are wanted.
    private func ids(
        _ query: FetchQuery, isWhole: Bool, _ request: FetchSettings, _ layout: EntityLayout,
        _ connection: SQLiteConnection
    ) throws -> [NSManagedObjectID] {
        guard let entity = entity(layout) else { return [] }
        let reader = request.includesSubentities ? reader(below: entity) : reader(for: [entity])
        let alias = query.scope.alias
        let columns = isWhole ? reader.selection(of: alias) : "\(alias).Z_PK, \(alias).Z_ENT"
        let statement = try statement(query.select(SQLFragment(columns)), connection)
        defer { statement.clear() }
        return isWhole ? try ids(of: statement, reader) : try ids(ofKeysIn: statement, entity)
    }

    /// The IDs of a statement that gives keys and entities.
    private func ids(ofKeysIn statement: SQLiteStatement, _ entity: StoredEntity) throws -> [NSManagedObjectID] {
        var ids: [NSManagedObjectID] = []
        var keys: [Int64] = []
        while try statement.step() {
            guard let found = self.entity(number: Int(truncatingIfNeeded: statement.integer(1))) else { continue }
            keys.append(statement.integer(0))
            ids.append(id(statement.integer(0), found))
        }
        neighbours[entity.mapping.rootNumber, default: RowNeighbours()].note(keys)
        return ids
    }

    /// A statement with its values.
    private func statement(_ fragment: SQLFragment, _ connection: SQLiteConnection) throws -> SQLiteStatement {
        let statement = try connection.statement(fragment.text)
        for (index, argument) in fragment.arguments.enumerated() {
            let place = Int32(index + 1)
            switch argument {
            case .null: statement.bindNull(at: place)
            case .integer(let value): statement.bind(value, at: place)
            case .real(let value): statement.bind(value, at: place)
            case .text(let value): statement.bind(value, at: place)
            case .bytes(let value): value.withUnsafeBytes { statement.bind($0, at: place) }
            }
        }
        return statement
    }

    /// Does with objects what SQL could not say.
    private func finish(
        _ objects: inout [NSManagedObject], _ query: FetchQuery, _ request: FetchSettings,
        _ context: NSManagedObjectContext
    ) throws {
        if !query.isFiltered, let predicate = request.predicate {
            var session = PredicateEvaluator(predicate).session()
            objects.removeAll { !session.matches(slotted: $0) }
        }
        if !query.isSorted { try context.sort(&objects, request.sortDescriptors) }
        context.cut(&objects, request)
    }
}
