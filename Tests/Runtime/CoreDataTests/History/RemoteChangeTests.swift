import CoreData
import Testing

/// Notifications of changes in a store's file.
@Suite struct RemoteChangeTests {
    /// Collects notifications of one coordinator.
    final class Listener: @unchecked Sendable {
        private let condition = NSCondition()
        private var notifications: [Notification] = []
        private var token: (any NSObjectProtocol)?

        init(_ coordinator: NSPersistentStoreCoordinator) {
            token = NotificationCenter.default.addObserver(
                forName: .NSPersistentStoreRemoteChange, object: coordinator, queue: nil
            ) { [weak self] notification in self?.add(notification) }
        }

        deinit {
            if let token { NotificationCenter.default.removeObserver(token) }
        }

        private func add(_ notification: Notification) {
            condition.lock()
            notifications.append(notification)
            condition.broadcast()
            condition.unlock()
        }

        /// Waits for a number of notifications, up to a limit, and returns those received.
        func wait(for count: Int) -> [Notification] {
            condition.lock()
            defer { condition.unlock() }
            let end = Date().addingTimeInterval(120)
            while notifications.count < count, condition.wait(until: end) {}
            return notifications
        }
    }

    @Test(.overDatabases) func allCoordinatorsAreNotified() throws {
        let stack = try HistoryStack()
        let (first, second) = (try stack.coordinator(), try stack.coordinator())
        let listeners = [Listener(first), Listener(second)]
        let context = try stack.context(first)
        _ = context.make("Author")
        try context.save()
        for (listener, coordinator) in zip(listeners, [first, second]) {
            let told = try #require(listener.wait(for: 1).first)
            #expect(told.object as? NSPersistentStoreCoordinator === coordinator)
            #expect(told.userInfo?[NSStoreUUIDKey] as? String == coordinator.persistentStores[0].identifier)
            #expect((told.userInfo?[NSPersistentStoreURLKey] as? URL)?.path == stack.url.path)
            let token = told.userInfo?[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken
            #expect(token != nil && token == coordinator.currentPersistentHistoryToken(fromStores: nil))
        }
        // Reading changes that were already posted does not post them again.
        let reader = try stack.context(second)
        #expect(try reader.all("Author").count == 1)
        _ = context.make("Author")
        try context.save()
        #expect(listeners[1].wait(for: 2).count == 2)
    }

    @Test func externalWritesAreNoticedByTheNextFetch() throws {
        let stack = try HistoryStack()
        let coordinator = try stack.coordinator()
        let context = try stack.context(coordinator)
        let listener = Listener(coordinator)
        _ = context.make("Author", ["name": "a"])
        try context.save()
        #expect(listener.wait(for: 1).count == 1)
        // Write like another process.
        let database = try TestDatabase(path: stack.url.path)
        try database.run(
            """
            BEGIN;
            UPDATE ZAUTHOR SET ZNAME = 'b', Z_OPT = Z_OPT + 1;
            INSERT INTO ATRANSACTION(Z_PK, Z_ENT, ZTIMESTAMP) VALUES(2, 16002, 1);
            INSERT INTO ACHANGE(Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) VALUES(2, 16001, 1, 1, 1, 2);
            UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_ENT IN (16001, 16002);
            COMMIT
            """)
        _ = try context.all("Author")
        let token = try #require(
            listener.wait(for: 2).last?.userInfo?[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken)
        #expect(token == coordinator.currentPersistentHistoryToken(fromStores: nil))
        #expect(try context.history().map(\.transactionNumber) == [1, 2])
    }

    @Test(.overDatabases) func nothingIsPostedWithoutTheOption() throws {
        let stack = try HistoryStack()
        let silent = try stack.coordinator([NSPersistentHistoryTrackingKey: true])
        let told = try stack.coordinator()
        let listeners = [Listener(silent), Listener(told)]
        let context = try stack.context(silent)
        _ = context.make("Author")
        try context.save()
        #expect(listeners[1].wait(for: 1).count == 1)
        #expect(listeners[0].wait(for: 0).isEmpty)
    }
}
