internal import Foundation

/// Tells the coordinators of this process what is written to the files of their stores.
///
/// Writes of this process are told at once. Those of other processes are told when a store notices them: when the next fetch
/// or save begins. Thread-safe.
final class RemoteChanges: @unchecked Sendable {
    static let shared = RemoteChanges()

    private let lock = NSLock()
    private var files: [String: File] = [:]
    /// Observers are called on it: they may wait for coordinators.
    private let queue = DispatchQueue(label: "CoreData.remote-changes")

    /// A file with the stores that are open on it.
    private struct File {
        /// How often this process has written it.
        var writes = 0
        var listeners: [Listener] = []
    }

    /// A store.
    private struct Listener {
        var store: ObjectIdentifier
        weak var coordinator: NSPersistentStoreCoordinator?
        var uuid: String
        var url: URL
        /// Whether its coordinator wants to be told.
        var isTold: Bool
        /// The last transaction of the history that it was told of; nil for a store without history.
        var transaction: Int64?
        /// How many of the writes of this process the store has heard of.
        var heard: Int
    }

    private static func path(_ store: SQLiteStore) -> String { store.file.identity }

    /// A store was opened.
    ///
    /// - Parameter transaction: the last one of its history; nil if it keeps none.
    func add(_ store: SQLiteStore, transaction: Int64?) {
        lock.withLock {
            var file = files[Self.path(store)] ?? File()
            file.listeners.removeAll { $0.coordinator == nil || $0.store == ObjectIdentifier(store) }
            file.listeners.append(
                Listener(
                    store: ObjectIdentifier(store), coordinator: store.persistentStoreCoordinator,
                    uuid: store.identifier, url: store.fileURL, isTold: store.settings.postsRemoteChanges,
                    transaction: transaction, heard: file.writes))
            files[Self.path(store)] = file
        }
    }

    /// A store was removed.
    func remove(_ store: SQLiteStore) {
        lock.withLock {
            let path = Self.path(store)
            files[path]?.listeners.removeAll { $0.coordinator == nil || $0.store == ObjectIdentifier(store) }
            if files[path]?.listeners.isEmpty == true { files[path] = nil }
        }
    }

    /// A store has written to its file: everybody who has it open is told.
    ///
    /// - Parameter transaction: the last one of the history, or nil if it is empty.
    func noteWrite(by store: SQLiteStore, transaction: Int64?) {
        let told = lock.withLock { () -> [Listener] in
            guard var file = files[Self.path(store)] else { return [] }
            file.writes += 1
            for index in file.listeners.indices {
                if file.listeners[index].transaction != nil { file.listeners[index].transaction = transaction }
                if file.listeners[index].store == ObjectIdentifier(store) { file.listeners[index].heard = file.writes }
            }
            files[Self.path(store)] = file
            return file.listeners.filter(\.isTold)
        }
        for listener in told { post(listener) }
    }

    /// A store has noticed that its file was written by somebody else.
    ///
    /// - Parameter transaction: the last one of the history, or nil if it is empty.
    func noteWriteOfOthers(_ store: SQLiteStore, transaction: Int64?) {
        let told = lock.withLock { () -> Listener? in
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
                // A write of this process was told already.
                isNew = listener.heard == writes
            }
            listener.heard = writes
            files[path]?.listeners[index] = listener
            return isNew && listener.isTold ? listener : nil
        }
        if let told { post(told) }
    }

    private func post(_ listener: Listener) {
        guard let coordinator = listener.coordinator else { return }
        var userInfo: [String: Any] = [
            NSStoreUUIDKey: listener.uuid, NSPersistentStoreURLKey: Redaction.url(listener.url),
        ]
        if let transaction = listener.transaction {
            userInfo[NSPersistentHistoryTokenKey] = NSPersistentHistoryToken([listener.uuid: transaction])
        }
        let notification = SendableBox(
            Notification(name: .NSPersistentStoreRemoteChange, object: coordinator, userInfo: userInfo))
        queue.async { NotificationCenter.default.post(notification.value) }
    }
}

extension SQLiteStore {
    /// Begins to hear of changes, when the store was opened.
    func beginHearing(_ connection: SQLiteConnection) {
        RemoteChanges.shared.add(self, transaction: lastTransaction(connection))
    }

    /// Something was committed.
    func didWrite(_ connection: SQLiteConnection) {
        RemoteChanges.shared.noteWrite(by: self, transaction: lastTransaction(connection))
    }

    /// Others have written to the file.
    func othersDidWrite(_ connection: SQLiteConnection) {
        RemoteChanges.shared.noteWriteOfOthers(self, transaction: lastTransaction(connection))
    }

    private func lastTransaction(_ connection: SQLiteConnection) -> Int64? {
        history.isThere ? try? history.lastTransaction(connection) : nil
    }
}
