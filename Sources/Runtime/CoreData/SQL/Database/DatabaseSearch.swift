internal import Foundation
internal import RuntimeSupport

/// The execution of a request by a database.
package struct DatabaseSearch<Store: SearchableStore> {
    /// Runs a statement, or returns `nil` if the database cannot, so that the evaluator must.
    package typealias Run = (SQLFragment) throws -> Store.Answer?

    private let store: Store
    private let model: FetchModel
    private let settings: FetchSettings
    private let entity: FetchEntity
    private let query: FetchQuery
    private let run: Run

    /// Traps, rather than throws, on requests that Apple's SQLite store rejects.
    package init(
        in store: Store, _ model: FetchModel, for settings: FetchSettings, of entity: FetchEntity, run: @escaping Run
    ) throws {
        self.store = store
        self.model = model
        self.settings = settings
        self.entity = entity
        self.run = run
        do {
            query = try FetchTranslator(model: model).query(settings, entity)
        } catch let refused as UnsupportedRequest {
            misuse("NSInvalidArgumentException", refused.description)
        }
    }

    /// Returns the answer to the request.
    package func answer() throws -> StoreAnswer {
        switch settings.resultType {
        case .countResultType: try count()
        case .dictionaryResultType: try dictionaries()
        case .managedObjectIDResultType: try candidates()
        default: try rows()
        }
    }

    /// Returns the first statement of the answer.
    ///
    /// - Parameter reader: The reader of the entity's rows.
    package func firstStatement(_ reader: Store.Reader) throws -> SQLFragment? {
        switch settings.resultType {
        case .countResultType: query.isFiltered ? query.count : nil
        case .dictionaryResultType: try DictionaryQuery(settings: settings, entity: entity, model: model)?.statement
        default: selection(query, reader)
        }
    }

    private func count() throws -> StoreAnswer {
        guard query.isFiltered, let answer = try run(query.count) else { return try candidates() }
        return StoreAnswer(.count(try store.integer(answer)))
    }

    private func dictionaries() throws -> StoreAnswer {
        // Checks the request.
        _ = DictionaryPlan(settings, entity.layout)
        if let query = try DictionaryQuery(settings: settings, entity: entity, model: model),
            let answer = try run(query.statement)
        {
            return StoreAnswer(.dictionaries(try store.dictionaries(answer, of: query)))
        }
        // The limit counts dictionaries.
        var all = settings
        all.resultType = .managedObjectResultType
        all.fetchLimit = 0
        all.fetchOffset = 0
        return try DatabaseSearch(in: store, model, for: all, of: entity, run: run).candidates()
    }

    /// Returns the rows of the results, or only their IDs if the request does not include values or SQL cannot express
    /// all of it.
    private func rows() throws -> StoreAnswer {
        guard query.isComplete, wantsRows, let stored = store.entity(entity.layout) else { return try candidates() }
        let reader = store.reader(below: stored)
        guard let answer = try run(selection(query, reader)) else { return try candidates() }
        return StoreAnswer(.rows(store.rows(answer, reader)))
    }

    /// Returns the IDs of the results, or of candidates, and caches their values.
    private func candidates() throws -> StoreAnswer {
        if let found = try ids(of: query) { return StoreAnswer(.ids(found), remaining: query.remaining) }
        // If the database cannot execute the statement, all rows are candidates.
        var rest = query
        rest.dropPredicateAndOrder()
        guard let found = try ids(of: rest) else {
            throw CoreDataError.error(
                .coreData, text: "the database cannot read the rows of “\(entity.layout.name)”")
        }
        return StoreAnswer(.ids(found), remaining: rest.remaining)
    }

    /// Returns the IDs that a query yields, or `nil` if the database cannot execute it.
    private func ids(of query: FetchQuery) throws -> [NSManagedObjectID]? {
        guard let stored = store.entity(entity.layout) else { return [] }
        let reader = store.reader(below: stored)
        guard let answer = try run(selection(query, reader)) else { return nil }
        return try readsRows(query) ? store.ids(answer, reader) : store.ids(answer, of: entity)
    }

    // MARK: Columns

    /// Returns the statement for the rows, or only for the keys if neither the request nor the rest of the search needs
    /// values.
    private func selection(_ query: FetchQuery, _ reader: Store.Reader) -> SQLFragment {
        let alias = query.root.alias
        guard !readsRows(query) else { return query.select("\(word: store.columns(reader, alias: alias))") }
        let dialect = model.dialect
        return query.select(
            "\(dialect.column(dialect.keyColumn, of: alias)), \(dialect.column(dialect.entityColumn, of: alias))")
    }

    private func readsRows(_ query: FetchQuery) -> Bool { wantsRows || !query.isComplete }

    /// Whether the values are read with the keys. With a batch size, a batch's values are read when the first of its
    /// objects is used.
    private var wantsRows: Bool {
        settings.resultType == .managedObjectResultType && settings.includesPropertyValues
            && settings.fetchBatchSize == 0
    }
}

extension FetchQuery {
    /// The parts of the request that SQL does not execute.
    fileprivate var remaining: StoreAnswer.Remaining {
        guard !isComplete else { return [] }
        return (isFiltered ? [] : StoreAnswer.Remaining.predicate).union(isSorted ? [] : .order).union(.range)
    }
}
