import CoreData
import Foundation
import Hummingbird
import Logging
import ServiceLifecycle

/// Sends the changes of all programs that use the database to the clients that follow them.
///
/// The history is read once for all clients, when the store announces a change and a client follows.
actor StockChanges: Service {
    private let contexts: ContextPool
    private let coordinator: NSPersistentStoreCoordinator
    private let logger = Logger(label: "StockChanges")
    private let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private var clients: [UUID: AsyncStream<ServerSentEvent>.Continuation] = [:]
    private var position: NSPersistentHistoryToken?

    init(_ container: NSPersistentContainer, _ contexts: ContextPool) {
        self.contexts = contexts
        coordinator = container.persistentStoreCoordinator
    }

    /// Returns the changes from now on. The stream ends if the client does not read it fast enough.
    func follow() async throws -> AsyncStream<ServerSentEvent> {
        let now = try await currentPosition()
        position = position ?? now
        let id = UUID()
        let (stream, client) = AsyncStream.makeStream(of: ServerSentEvent.self, bufferingPolicy: .bufferingOldest(1000))
        client.onTermination = { _ in Task { await self.remove(id) } }
        clients[id] = client
        return stream
    }

    /// Reads the history whenever the store announces a change, until the service shuts down.
    func run() async {
        let observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: coordinator, queue: nil
        ) { [signal] _ in signal.yield() }
        defer { NotificationCenter.default.removeObserver(observer) }
        signal.yield()
        for await _ in signals.cancelOnGracefulShutdown() {
            do {
                try await readHistory()
            } catch {
                logger.error("cannot read the changes: \(error.localizedDescription)")
                try? await Task.sleep(for: .seconds(1))
                signal.yield()
            }
        }
        disconnect()
    }

    private func readHistory() async throws {
        guard !clients.isEmpty, let start = position else {
            position = nil
            return
        }
        do {
            let (events, end) = try await contexts.perform { try Self.events(after: start, in: $0) }
            position = end ?? start
            for event in events {
                for client in clients.values {
                    if case .dropped = client.yield(event) { client.finish() }
                }
            }
        } catch let error as CocoaError where error.code == .persistentHistoryTokenExpired {
            // The history was purged. The clients connect again, and read the list again.
            position = nil
            disconnect()
        }
    }

    /// Returns the changes after a position in the history, and its end. An item that changed several times is reported
    /// once, as it is now.
    private static func events(
        after position: NSPersistentHistoryToken, in context: NSManagedObjectContext
    ) throws -> ([ServerSentEvent], NSPersistentHistoryToken?) {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: position)
        let result = try context.execute(request) as? NSPersistentHistoryResult
        let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
        let changes = transactions.flatMap { $0.changes ?? [] }
        let names = changes.compactMap { $0.tombstone?["name"] as? String }
        let fetch = NSFetchRequest<NSManagedObject>(entityName: "Item")
        fetch.predicate = NSPredicate(format: "SELF IN %@", Set(changes.map(\.changedObjectID)))
        let items = try context.fetch(fetch).map { Item($0) }
        let events = try names.map { try ServerSentEvent("deleted", ["name": $0]) }
        return (events + (try items.map { try ServerSentEvent("saved", $0) }), transactions.last?.token)
    }

    private func currentPosition() async throws -> NSPersistentHistoryToken? {
        try await contexts.perform { [coordinator] _ in coordinator.currentPersistentHistoryToken(fromStores: nil) }
    }

    private func disconnect() {
        for client in clients.values { client.finish() }
    }

    private func remove(_ id: UUID) { clients[id] = nil }
}
