internal import Foundation
internal import RuntimeSupport

/// The consistency rules that Apple's framework applies to fetch requests.
enum FetchRules {
    /// Traps if settings contradict each other.
    static func check(_ request: FetchSettings) {
        let isGrouped = request.propertiesToGroupBy?.isEmpty == false
        if isGrouped, request.resultType != .dictionaryResultType {
            misuse("NSInvalidArgumentException", "Invalid fetch request: GROUP BY requires NSDictionaryResultType")
        }
        if request.havingPredicate != nil, !isGrouped {
            misuse("NSInvalidArgumentException", "Invalid fetch request: HAVING without GROUP BY")
        }
        if request.fetchLimit < 0 || request.fetchOffset < 0 || request.fetchBatchSize < 0 {
            misuse(
                "NSInvalidArgumentException", "the limit, offset and batch size of a fetch request cannot be negative")
        }
    }
}
