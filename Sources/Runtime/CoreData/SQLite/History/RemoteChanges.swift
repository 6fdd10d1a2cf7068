internal import Foundation
internal import RuntimeSupport

/// Notifies the coordinators of this process of writes to the files of their stores.
///
/// Writes by this process are reported immediately, those by other processes when a store detects them: when the next
/// fetch or save begins. Thread-safe.
final class RemoteChanges: @unchecked Sendable {
    static let shared = RemoteChanges()

    private let lock = NSLock()
    private var files: [String: File] = [:]
    /// The queue on which observers are called, because they may wait for coordinators.
    private let queue = DispatchQueue(label: "CoreData.remote-changes")

    /// A file, and the stores that have it open.
    private struct File {
        /// The number of writes by this process.
        var writes = 0
        var listeners: [Listener] = []
    }

    /// A store that has the file open.
    private struct Listener {
        var store: ObjectIdentifier
        weak var host: (any StoreHost)?
        var uuid: String
        var url: URL
        /// Whether its coordinator is to be notified.
        var notifies: Bool
        /// The last transaction of the history that was reported to it; `nil` for a store without a history.
        var transaction: Int64?
        /// The number of this process's writes that were reported to the store.
        var received: Int
    }

    private static func path(_ store: SQLiteStore) -> String { store.file.identity }

    /// Adds a store that was opened.
    ///
    /// - Parameter transaction: The last transaction of its history; `nil` if it keeps none.
    func add(_ store: SQLiteStore, transaction: Int64?) {
        lock.withLock {
            var file = files[Self.path(store)] ?? File()
            file.listeners.removeAll { $0.host == nil || $0.store == ObjectIdentifier(store) }
            file.listeners.append(
                Listener(
                    store: ObjectIdentifier(store), host: store.host, uuid: store.identifier,
                    url: store.fileURL, notifies: store.settings.postsRemoteChanges, transaction: transaction,
                    received: file.writes))
            files[Self.path(store)] = file
        }
    }

    func remove(_ store: SQLiteStore) {
        lock.withLock {
            let path = Self.path(store)
            files[path]?.listeners.removeAll { $0.host == nil || $0.store == ObjectIdentifier(store) }
            if files[path]?.listeners.isEmpty == true { files[path] = nil }
        }
    }

    /// Reports that a store has written to its file to all stores that have it open.
    ///
    /// - Parameter transaction: The last one of the history, or `nil` if it is empty.
    func recordWrite(by store: SQLiteStore, transaction: Int64?) {
        let notified = lock.withLock { () -> [Listener] in
            guard var file = files[Self.path(store)] else { return [] }
            file.writes += 1
            for index in file.listeners.indices {
                if file.listeners[index].transaction != nil { file.listeners[index].transaction = transaction }
                if file.listeners[index].store == ObjectIdentifier(store) {
                    file.listeners[index].received = file.writes
                }
            }
            files[Self.path(store)] = file
            return file.listeners.filter(\.notifies)
        }
        for listener in notified { post(listener) }
    }

    /// Reports that a store has detected a write to its file by another connection.
    ///
    /// - Parameter transaction: The last one of the history, or `nil` if it is empty.
    func recordWriteOfOthers(_ store: SQLiteStore, transaction: Int64?) {
        let notified = lock.withLock { () -> Listener? in
            let path = Self.path(store)
            guard let writes = files[path]?.writes,
                let index = files[path]?.listeners.firstIndex(where: { $0.store == ObjectIdentifier(store) }),
                var listener = files[path]?.listeners[index]
            else { return nil }
            let isNew: Bool
            if let transaction {
                isNew = transaction > listener.transaction ?? 0
                listener.transaction = transaction
            } else {
                // A write by this process was already reported.
                isNew = listener.received == writes
            }
            listener.received = writes
            files[path]?.listeners[index] = listener
            return isNew && listener.notifies ? listener : nil
        }
        if let notified { post(notified) }
    }

    private func post(_ listener: Listener) {
        guard let host = listener.host else { return }
        var userInfo: [String: Any] = [
            NSStoreUUIDKey: listener.uuid, NSPersistentStoreURLKey: Redaction.url(listener.url),
        ]
        if let transaction = listener.transaction {
            userInfo[NSPersistentHistoryTokenKey] = NSPersistentHistoryToken([listener.uuid: transaction])
        }
        let notification = SendableBox(
            Notification(name: .NSPersistentStoreRemoteChange, object: host as AnyObject, userInfo: userInfo))
        queue.async { NotificationCenter.default.post(notification.value) }
    }
}

extension SQLiteStore {
    /// Registers the opened store for changes.
    func beginHearing(_ connection: SQLiteConnection) {
        RemoteChanges.shared.add(self, transaction: lastTransaction(connection))
    }

    /// Reports a commit of this store.
    func didWrite(_ connection: SQLiteConnection) {
        RemoteChanges.shared.recordWrite(by: self, transaction: lastTransaction(connection))
    }

    /// Reports that another connection has written to the file.
    func othersDidWrite(_ connection: SQLiteConnection) {
        RemoteChanges.shared.recordWriteOfOthers(self, transaction: lastTransaction(connection))
    }

    private func lastTransaction(_ connection: SQLiteConnection) -> Int64? {
        history.exists ? try? history.lastTransaction(connection) : nil
    }
}
