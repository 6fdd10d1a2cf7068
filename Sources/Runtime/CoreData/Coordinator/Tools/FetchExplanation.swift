internal import Foundation

/// The SQL that a SQLite store runs for a fetch request, for tools that display it.
package struct FetchExplanation: Sendable {
    /// The error for a request that a store rejects. Executing it traps, where Apple's framework raises an exception.
    package struct Refusal: Error {
        /// Apple's reason.
        package var reason: String
    }

    /// The statement, with its values as literals.
    package var sql: String
    /// Whether SQL expresses all of the predicate. If not, all rows of the entity are read and evaluated in memory.
    package var filtersInSQL: Bool
    /// Whether SQL expresses the order.
    package var sortsInSQL: Bool
}

extension NSPersistentStoreCoordinator {
    /// Translates a fetch request without running it.
    ///
    /// - Returns: the explanation, or `nil` if the store is not a SQLite store or does not have the entity.
    /// - Throws: `FetchExplanation.Refusal`.
    package func explanation(
        of request: NSFetchRequest<any NSFetchRequestResult>
    ) throws(FetchExplanation.Refusal) -> FetchExplanation? {
        guard let store = persistentStores.first?.engine as? SQLiteStore,
            let name = request.entityName, let entity = store.fetchModel?.entity(named: name),
            let model = store.fetchModel
        else { return nil }
        do {
            let query = try FetchTranslator(model: model).query(request.settings, entity)
            let alias = query.root.alias
            let statement = query.select("\(word: alias).Z_PK, \(word: alias).Z_ENT")
            return FetchExplanation(
                sql: statement.displayText(), filtersInSQL: query.isFiltered, sortsInSQL: query.isSorted)
        } catch let refused as RefusedRequest {
            throw FetchExplanation.Refusal(reason: refused.description)
        } catch {
            throw FetchExplanation.Refusal(reason: "the request cannot be translated")
        }
    }
}
