internal import CSQLite3
internal import Foundation
internal import RuntimeSupport

/// Fetches, executed by the database as far as SQL can express them.
extension SQLiteStore {
    /// Answers a search, completely if SQL can express all of it.
    func answer(_ search: FetchSearch) throws -> StoreAnswer {
        let request = search.settings
        guard let entity = fetchModel?.entity(named: search.layout.name) else {
            return StoreAnswer(request.resultType == .dictionaryResultType ? .dictionaries([]) : .ids([]))
        }
        return try reporting(.coreData, what: "the store at \(fileURL.path) cannot be searched") {
            let search = try SQLiteSearch(store: self, request: request, entity: entity)
            return switch request.resultType {
            case .countResultType: try search.count()
            case .dictionaryResultType: try search.dictionaries()
            case .managedObjectIDResultType: try search.candidates()
            default: try search.rows()
            }
        }
    }
}
