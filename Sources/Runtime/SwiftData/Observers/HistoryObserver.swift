internal import CoreData
public import Foundation
public import Observation
internal import RuntimeSupport

/// Counts the saves to a container's stores that concern some classes and authors. Observable.
///
/// ```swift
/// let observer = try HistoryObserver(observedModels: [Book.self], authors: ["import"], modelContainer: container)
/// withObservationTracking { _ = observer.eventCounter } onChange: { scheduleUpdate() }
/// ```
///
/// Saves of this process are noticed immediately, those of other processes when a context next uses the store.
public final class HistoryObserver: Observable, @unchecked Sendable {
    private let registrar = ObservationRegistrar()
    private let context: ModelContext
    private let isolation: (any Actor)?
    /// The names of the observed entities; `nil` for all.
    private let entities: Set<String>?
    private let authors: Set<String>
    private let historyLock = NSLock()
    /// The last transaction that was examined. Guarded by `historyLock`, as is the context.
    private var token: DefaultHistoryToken
    /// Not held while the history is read, so that `eventCounter` never waits for the store.
    private let eventLock = NSLock()
    private var events = 0
    private var registration: (any NSObjectProtocol)?

    /// Creates an observer.
    ///
    /// - Parameters:
    ///   - historyTokens: Where the history was last read: existing later transactions are counted immediately. If
    ///     empty, only saves from now on are counted.
    ///   - observedModels: The classes; subclasses are included. If empty, all classes are observed.
    ///   - authors: The authors of the saves (`ModelContext.author`). If empty, saves of all authors are counted.
    ///   - modelContainer: The container, which is retained.
    ///   - isolation: Where `eventCounter` changes.
    /// - Throws: `SwiftDataError.unknownSchema` for a class that is not in the container's schema, or
    ///   `SwiftDataError.historyTokenExpired` if transactions after the tokens were deleted.
    public init(
        historyTokens: [DefaultHistoryToken] = [], observedModels: [any PersistentModel.Type] = [],
        authors: [String] = [], modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
    ) throws {
        context = ModelContext(modelContainer)
        self.isolation = isolation
        self.authors = Set(authors)
        entities = try observedModels.isEmpty ? nil : modelContainer.schema.entityNames(of: observedModels)
        let numbers =
            historyTokens.isEmpty
            ? [context.core.coordinator.currentHistoryNumbers] : historyTokens.map { $0.tokenValue ?? [:] }
        token = DefaultHistoryToken(numbers.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: max) })
        // Registered first, so that no save is missed.
        registration = NotificationCenter.default.addObserver(
            forName: ModelContainer.remoteChange, object: context.core.coordinator, queue: nil
        ) { [weak self] _ in
            guard let self else { return }
            Task { await self.update(isolation: self.isolation) }
        }
        count(try newEvents())
    }

    deinit {
        if let registration { NotificationCenter.default.removeObserver(registration) }
    }

    /// The number of saves so far.
    public var eventCounter: Int {
        registrar.access(self, keyPath: \.eventCounter)
        return eventLock.withLock { events }
    }

    private func update(isolation: isolated (any Actor)?) async {
        do {
            count(try newEvents())
        } catch SwiftDataError.historyTokenExpired {
            // Something happened that the history no longer records.
            historyLock.withLock { token = DefaultHistoryToken(context.core.coordinator.currentHistoryNumbers) }
            count(1)
        } catch {
            StandardError.write("SwiftData: the history cannot be read: \(error)\n")
        }
    }

    private func count(_ new: Int) {
        guard new > 0 else { return }
        registrar.withMutation(of: self, keyPath: \.eventCounter) { eventLock.withLock { events += new } }
    }

    /// Returns the number of matching transactions since the last call.
    private func newEvents() throws -> Int {
        try historyLock.withLock {
            let last = token
            let found = try context.fetchHistory(
                HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > last }))
            if let newest = found.last { token = newest.token }
            return found.count(where: isObserved)
        }
    }

    private func isObserved(_ transaction: DefaultHistoryTransaction) -> Bool {
        guard authors.isEmpty || transaction.author.map(authors.contains) == true else { return false }
        guard let entities else { return true }
        return transaction.changes.contains { entities.contains($0.changedPersistentIdentifier.entityName) }
    }
}

extension ModelContainer {
    /// Posted after a save to one of a container's files, by this process immediately. The `userInfo` is that of
    /// `NSPersistentStoreRemoteChange`.
    public static let remoteChange = Notification.Name.NSPersistentStoreRemoteChange
}

extension NSPersistentStoreCoordinator {
    /// The numbers of the last transactions, by the identifiers of the stores.
    fileprivate var currentHistoryNumbers: [String: Int64] {
        currentPersistentHistoryToken(fromStores: nil)?.numbers ?? [:]
    }
}

extension Schema {
    /// Returns the names of the entities of classes and their subclasses.
    fileprivate func entityNames(of types: [any PersistentModel.Type]) throws -> Set<String> {
        Set(
            try types.flatMap { type in
                let info = ModelInfo.of(type)
                guard classes[info.entityName] === info, let entity = entitiesByName[info.entityName] else {
                    throw SwiftDataError(.unknownSchema, "\(type) is not in the container's schema")
                }
                return entity.hierarchyNames
            })
    }
}
