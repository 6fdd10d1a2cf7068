internal import Foundation
internal import RuntimeSupport

/// Execution of requests of all kinds.
extension NSManagedObjectContext {
    /// Executes a request: what `execute(_:)` does unless a subclass overrides it.
    final func executeDirectly(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        checkQueue()
        switch request {
        case let request as any ExecutableRequest: return try request.run(in: self)
        case let request as NSBatchInsertRequest:
            let outcome = try run(request) { BatchChange(request, $0) }
            return NSBatchInsertResult(outcome, request.resultType)
        case let request as NSBatchUpdateRequest:
            let outcome = try run(request) { BatchChange(request, $0) }
            return NSBatchUpdateResult(outcome, request.resultType)
        case let request as NSBatchDeleteRequest:
            let outcome = try run(request) { BatchChange(request, $0) }
            return NSBatchDeleteResult(outcome, request.resultType)
        case let request as NSPersistentHistoryChangeRequest:
            guard let coordinator = persistentStoreCoordinator else {
                misuse("NSInvalidArgumentException", "a request for history needs a context with a coordinator")
            }
            return try coordinator.execute(request)
        default:
            throw CoreDataError.error(
                .persistentStoreUnsupportedRequestType,
                text: "a context does not execute a \(type(of: request)); changes are saved with save()")
        }
    }

    /// Returns the result of a request that the coordinator executes.
    final func resultForCoordinator(of request: NSPersistentStoreRequest) throws -> Any {
        guard let request = request as? any ExecutableRequest, let settings = request.plainSettings else {
            return try executeDirectly(request)
        }
        return try results(of: settings)
    }

    private func run(
        _ request: NSPersistentStoreRequest, _ change: (EntityLayout) -> BatchChange
    ) throws -> BatchOutcome {
        guard let coordinator = persistentStoreCoordinator else {
            misuse("NSInvalidArgumentException", "a batch request needs a context with a coordinator")
        }
        if let request = request as? NSBatchDeleteRequest, request.objectIDs?.isEmpty == true { return BatchOutcome() }
        var batch = change(layout(ofBatch: request))
        (batch.author, batch.contextName) = historyNames
        if let policy = mergePolicy as? NSMergePolicy { batch.mergeType = policy.mergeType }
        return try coordinator.execute(batch, for: self)
    }

    /// The author and the context's name for the history. A child without its own uses its parent's.
    private var historyNames: (author: String?, contextName: String?) {
        guard let parent, transactionAuthor == nil || name == nil else { return (transactionAuthor, name) }
        let inherited = ask(parent) { parent.historyNames }
        return (transactionAuthor ?? inherited.author, name ?? inherited.contextName)
    }

    private func layout(ofBatch request: NSPersistentStoreRequest) -> EntityLayout {
        var settings = FetchSettings()
        switch request {
        case let request as NSBatchInsertRequest:
            settings.entityName = request.entityName
            settings.entity = request.entity
        case let request as NSBatchUpdateRequest:
            settings.entityName = request.entityName
            settings.entity = request.entity
        case let request as NSBatchDeleteRequest: settings = request.fetchRequest.settings
        default: break
        }
        return layout(of: settings)
    }
}

/// A request that knows the type of its results.
private protocol ExecutableRequest: NSPersistentStoreRequest {
    func run(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult

    /// The settings of a synchronous fetch; `nil` for other requests.
    var plainSettings: FetchSettings? { get }
}

extension NSFetchRequest: ExecutableRequest {
    fileprivate var plainSettings: FetchSettings? { settings }

    fileprivate func run(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
        let result = NSAsynchronousFetchResult(
            request: NSAsynchronousFetchRequest(fetchRequest: self), context: context, progress: nil)
        result.finalResult = try context.fetch(self)
        return result
    }
}

extension NSAsynchronousFetchRequest: ExecutableRequest {
    fileprivate var plainSettings: FetchSettings? { nil }

    fileprivate func run(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
        context.begin(self)
    }
}
