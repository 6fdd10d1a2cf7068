internal import Foundation

/// The SQL that a SQLite store runs for a fetch request, for tools that display it.
package struct FetchExplanation: Sendable {
    /// The error for a request that a store rejects. Executing it traps, where Apple's framework raises an exception.
    package struct Refusal: Error {
        /// Apple's reason.
        package var reason: String
    }

    /// The statement, with its values as literals, and with SQLite's own functions in place of those that the store's
    /// connections have, as far as there are similar ones.
    package var sql: String
    /// Whether the store's own statement is the same one.
    package var isExact: Bool
    /// Whether the `sqlite3` program has all functions of the statement.
    package var isStandalone: Bool
    /// Whether SQL expresses all of the predicate. If not, all rows of the entity are read and evaluated in memory.
    package var filtersInSQL: Bool
    /// Whether SQL expresses the order.
    package var sortsInSQL: Bool
}

extension NSPersistentStoreCoordinator {
    /// Translates a fetch request without running it.
    ///
    /// - Returns: The explanation, or `nil` if the store is not a SQLite store or does not have the entity.
    /// - Throws: `FetchExplanation.Refusal`.
    package func explanation(
        of request: NSFetchRequest<any NSFetchRequestResult>
    ) throws(FetchExplanation.Refusal) -> FetchExplanation? {
        guard let store = persistentStores.first?.engine as? SQLiteStore,
            let name = request.entityName, let entity = store.fetchModel?.entity(named: name),
            let model = store.fetchModel
        else { return nil }
        do {
            func text(_ query: FetchQuery) -> String {
                let alias = query.root.alias
                return query.select("\(word: alias).Z_PK, \(word: alias).Z_ENT").displayText()
            }
            let query = try FetchTranslator(model: model).query(request.settings, entity)
            let sql = text(try FetchTranslator(model: model.forDisplay).query(request.settings, entity))
            return FetchExplanation(
                sql: sql, isExact: sql == text(query), isStandalone: !sql.contains("NSCoreDataFunction("),
                filtersInSQL: query.isFiltered, sortsInSQL: query.isSorted)
        } catch let refused as UnsupportedRequest {
            throw FetchExplanation.Refusal(reason: refused.description)
        } catch {
            throw FetchExplanation.Refusal(reason: "the request cannot be translated")
        }
    }
}
