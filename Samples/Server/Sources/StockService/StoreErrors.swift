import CoreData
import Hummingbird

/// Turns errors of the store into responses.
struct StoreErrors: RouterMiddleware {
    static let changedItem = HTTPError(.preconditionFailed, message: "the item has changed; read it again")

    func handle(
        _ request: Request, context: StockRequestContext,
        next: (Request, StockRequestContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as CocoaError {
            switch error.code {
            case .managedObjectMerge: throw Self.changedItem
            case .managedObjectConstraintMerge:
                throw HTTPError(.conflict, message: "there is an item with this name")
            case .persistentStoreSaveOutcomeUnknown:
                context.logger.error("\(error.localizedDescription)")
                throw HTTPError(.serviceUnavailable, message: "the change may have been saved; read the item again")
            default:
                context.logger.error("\(error.localizedDescription)")
                throw HTTPError(
                    .serviceUnavailable, headers: [.retryAfter: "1"], message: "the database is not available")
            }
        }
    }
}
