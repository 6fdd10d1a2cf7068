internal import Foundation
internal import RuntimeSupport

/// Asynchronous fetches.
extension NSManagedObjectContext {
    final func begin<Result>(_ request: NSAsynchronousFetchRequest<Result>) -> NSAsynchronousFetchResult<Result> {
        guard concurrencyType != .confinementConcurrencyType else {
            misuse(
                "NSInvalidArgumentException",
                "NSConfinementConcurrencyType contexts cannot execute asynchronous fetch requests")
        }
        var settings = request.fetchRequest.settings
        if let stores = request.affectedStores { settings.affectedStores = stores }
        // A missing entity is the caller's mistake: report it on the caller's thread.
        let layout = layout(of: settings)
        settings.entity = layout.entity
        let progress = Progress.current().map { _ in Progress(totalUnitCount: 0) }
        progress?.totalUnitCount = request.estimatedResultCount > 0 ? Int64(request.estimatedResultCount) : -1
        let result = NSAsynchronousFetchResult(request: request, context: self, progress: progress)
        processChanges()
        let search = BackgroundSearch(result: result, settings: settings, helper: reader())
        Searches.queue.async { search.run() }
        return result
    }

    /// Returns a context without changes that reads what this one reads: from the same parent, or the same generation
    /// of the same stores.
    final func reader() -> NSManagedObjectContext {
        let reader = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        guard parent == nil else {
            reader.parent = parent
            return reader
        }
        reader.persistentStoreCoordinator = rootCoordinator
        if let token = reading.token, token.generation == nil, let coordinator = rootCoordinator {
            // The first read chooses the generation, which must be the same for both. A store that cannot keep it
            // reports that to the reader as well.
            let generation = coordinator.lock.withLock { try? coordinator.queryGeneration() }
            if let generation { reading.token = NSQueryGenerationToken(generation) }
        }
        reader.reading.token = reading.token
        return reader
    }
}

/// What all searches share.
private enum Searches {
    static let queue = DispatchQueue(label: "CoreData.asynchronous-fetch", attributes: .concurrent)

    /// The number of objects that are created between two checks for cancellation.
    static let slice = 256
}

/// A running fetch.
///
/// Runs on its own thread, then on the context's queue. The two never share state at the same time.
private struct BackgroundSearch<Result: NSFetchRequestResult>: @unchecked Sendable {
    let result: NSAsynchronousFetchResult<Result>
    let settings: FetchSettings
    let helper: NSManagedObjectContext

    private var isCancelled: Bool { result.isCancelled }

    func run() {
        let found: Swift.Result<[AnyObject], any Error>
        do {
            found = .success(isCancelled ? [] : try search())
        } catch {
            found = .failure(error)
        }
        let box = SendableBox(found)
        let context = result.managedObjectContext
        context.perform { finish(box.value, context) }
    }

    /// Searches for numbers, IDs and dictionaries, which belong to no context.
    private func search() throws -> [AnyObject] {
        var settings = settings
        settings.includesPendingChanges = false
        if settings.resultType == .managedObjectResultType { settings.resultType = .managedObjectIDResultType }
        let box = SendableBox(settings)
        return try helper.performAndWait { SendableBox(try helper.results(of: box.value)) }.value
    }

    private func finish(_ found: Swift.Result<[AnyObject], any Error>, _ context: NSManagedObjectContext) {
        do {
            let objects = try results(found.get(), context)
            result.finalResult = NSManagedObjectContext.typed(objects, settings.entityName)
        } catch {
            result.operationError = error
        }
        result.fetchRequest.completionBlock?(result)
    }

    private func results(_ found: [AnyObject], _ context: NSManagedObjectContext) throws -> [AnyObject] {
        try check()
        // Unsaved changes affect matches and order, and only this context knows them.
        let usesChanges = settings.includesPendingChanges && settings.resultType != .dictionaryResultType
        if usesChanges, context.hasChanges {
            let found = try context.results(of: settings)
            result.progress?.totalUnitCount = Int64(found.count)
            result.progress?.completedUnitCount = Int64(found.count)
            return found
        }
        result.progress?.totalUnitCount = Int64(found.count)
        var objects: [AnyObject] = []
        objects.reserveCapacity(found.count)
        for (index, element) in found.enumerated() {
            if index % Searches.slice == 0 {
                result.progress?.completedUnitCount = Int64(index)
                try check()
            }
            objects.append(object(element, context))
        }
        result.progress?.completedUnitCount = Int64(found.count)
        try context.prepare(objects.compactMap { $0 as? NSManagedObject }, settings)
        return objects
    }

    private func object(_ element: AnyObject, _ context: NSManagedObjectContext) -> AnyObject {
        guard settings.resultType == .managedObjectResultType, let id = element as? NSManagedObjectID else {
            return element
        }
        return context.object(with: id)
    }

    private func check() throws {
        if isCancelled { throw CocoaError(.userCancelled) }
    }
}
