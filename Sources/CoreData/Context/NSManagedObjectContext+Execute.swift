internal import Foundation

/// Requests of all kinds.
extension NSManagedObjectContext {
    /// Carries a request out without a change of the context's objects.
    ///
    /// - Parameter request: an `NSBatchInsertRequest`, `NSBatchUpdateRequest` or `NSBatchDeleteRequest`, which gives the result of
    ///   its kind; an `NSAsynchronousFetchRequest`, which gives an `NSAsynchronousFetchResult` at once; an `NSFetchRequest`, which
    ///   gives one with its results; an `NSPersistentHistoryChangeRequest`, which gives an `NSPersistentHistoryResult`. Changes
    ///   to save are refused.
    /// - Throws: an `NSError` of Cocoa's domain: 134091 when a store cannot carry such a request out. Some stores may have done it
    ///   before one fails.
    @discardableResult
    public func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
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
                "a context does not execute a \(type(of: request)); changes are saved with save()")
        }
    }

    /// What the coordinator gives for a request.
    final func resultForCoordinator(of request: NSPersistentStoreRequest) throws -> Any {
        guard let request = request as? any ExecutableRequest, let settings = request.plainSettings else {
            return try execute(request)
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
        return try coordinator.execute(change(layout(ofBatch: request)), for: self)
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

    /// What is asked for, of a request that is carried out at once.
    var plainSettings: FetchSettings? { get }
}

extension NSFetchRequest: ExecutableRequest {
    fileprivate var plainSettings: FetchSettings? { settings }

    fileprivate func run(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
        let result = NSAsynchronousFetchResult(NSAsynchronousFetchRequest(fetchRequest: self), context, nil)
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
