internal import CoreData
internal import Foundation
internal import PostgreSQLClient
internal import PostgreSQLSchema
internal import RuntimeSupport

/// Notifications between programs that have the same store open.
extension PostgreSQLStore {
    /// The queue on which observers are called, because they may wait for coordinators.
    private static let queue = DispatchQueue(label: "CoreData.postgresql-changes")

    /// The channel on which the programs that have the store open notify each other.
    var channel: String {
        "coredata_" + identifier.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(48)
    }

    /// Begins to listen for writes by other programs.
    func beginHearing() throws {
        guard settings.postsRemoteChanges, listener == nil, let url else {
            return
        }
        let parameters = try ConnectionParameters(settings.listener ?? url.absoluteString)
        listener = try NotificationListener(parameters, channels: [channel]) { [weak self] event in
            switch event {
            case .disconnected: return
            case .notified(_, let writer, _):
                guard let self, writer != instance else { return }
                Self.queue.async { [weak self] in self?.catchUp(isCertain: true) }
            case .connected:
                Self.queue.async { [weak self] in
                    guard let self else { return }
                    // Other programs may have written while the listener was not connected.
                    catchUp(isCertain: hasListened)
                    hasListened = true
                }
            }
        }
    }

    /// Reports a commit of this store.
    ///
    /// - Parameter result: The result of the last statement of `PostgreSQLHistoryRecord.commands(author:contextName:)`.
    func didWrite(_ result: Rows?) {
        let number = history.exists && settings.tracksHistory ? result?.integer(0, 1) : nil
        history.lastOwn = number ?? history.lastOwn
        if settings.postsRemoteChanges { post(number) }
    }

    /// Notifies merging contexts and observers after another program has written, or may have done so while this store
    /// was not listening.
    private func catchUp(isCertain: Bool) {
        guard let host else { return }
        var number: Int64?
        var ids = SavedIDs()
        let hasChanges = host.withStoreLock { () -> Bool in
            guard listener != nil else { return false }
            guard history.exists else {
                evictRows()
                return isCertain
            }
            do {
                let changes = try history(
                    after: .transaction(history.lastObserved), includesChanges: true, except: instance)
                number = changes.last
                history.lastObserved = changes.last
                ids = SavedIDs(changes.records)
                return !changes.records.isEmpty
            } catch {
                // The history was deleted up to a later transaction.
                history.lastObserved = (try? lastTransaction()) ?? history.lastObserved
                number = history.lastObserved
                evictRows()
                return isCertain
            }
        }
        guard hasChanges else { return }
        post(number)
        host.othersDidSave(ids)
    }

    private func post(_ transaction: Int64?) {
        guard let host, let url else { return }
        var userInfo: [String: Any] = [NSStoreUUIDKey: identifier, NSPersistentStoreURLKey: Redaction.url(url)]
        if let transaction {
            userInfo[NSPersistentHistoryTokenKey] = NSPersistentHistoryToken([identifier: transaction])
        }
        let notification = SendableBox(
            Notification(name: .NSPersistentStoreRemoteChange, object: host as AnyObject, userInfo: userInfo))
        Self.queue.async { NotificationCenter.default.post(notification.value) }
    }
}

extension SavedIDs {
    /// Collects the objects that transactions have changed, each by its final state.
    fileprivate init(_ records: [HistoryRecord]) {
        var inserted: Set<NSManagedObjectID> = []
        var updated: Set<NSManagedObjectID> = []
        var deleted: Set<NSManagedObjectID> = []
        for change in records.flatMap({ $0.changes ?? [] }) {
            switch change.kind {
            case .insert: inserted.insert(change.id)
            case .update: if !inserted.contains(change.id) { updated.insert(change.id) }
            case .delete:
                inserted.remove(change.id)
                updated.remove(change.id)
                deleted.insert(change.id)
            }
        }
        self.init(inserted: Array(inserted), updated: Array(updated), deleted: Array(deleted))
    }
}
