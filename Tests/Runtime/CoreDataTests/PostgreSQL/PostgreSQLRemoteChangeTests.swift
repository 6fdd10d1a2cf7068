import Foundation
import PostgreSQLClient
import PostgreSQLTestSupport
import RuntimeSupport
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

/// Notifications about the changes of other programs, without polling.
@Suite(.needsPostgreSQL) struct PostgreSQLRemoteChangeTests {
    /// A helper that waits for a notification of an object, up to a limit.
    private final class Waiter: @unchecked Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        private var token: (any NSObjectProtocol)?

        init(_ name: Notification.Name, _ object: AnyObject) {
            token = NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) {
                [semaphore] _ in semaphore.signal()
            }
        }

        deinit {
            if let token { NotificationCenter.default.removeObserver(token) }
        }

        func wait() -> Bool { semaphore.wait(timeout: .now() + 120) == .success }
    }

    /// Waits until the coordinators' stores are listening.
    private func waitForListener(_ stack: PostgreSQLStack, count: Int) throws {
        let end = Date(timeIntervalSinceNow: 120)
        while Date() < end {
            let listening = try stack.text(
                "SELECT count(*)::text FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'"
            )
            if listening == "\(count)" { return }
            Thread.sleep(forTimeInterval: 0.005)
        }
        Issue.record("no listener")
    }

    @Test func contextsThatMergeFollowOtherPrograms() throws {
        let stack = try PostgreSQLStack()
        let (own, other) = (
            try stack.coordinator(HistoryStack.tracking), try stack.coordinator(HistoryStack.tracking)
        )
        let (reader, writer) = (try stack.context(own), try stack.context(other))
        try waitForListener(stack, count: 2)
        reader.automaticallyMergesChangesFromParent = true
        let (author, gone) = try writer.performAndWait {
            let author = writer.make("Author", ["name": "a"])
            let gone = writer.make("Author", ["name": "b"])
            try writer.save()
            return (SendableBox(author), SendableBox(gone))
        }
        let seen = try reader.performAndWait { SendableBox(try reader.all("Author", by: "name")) }
        let merged = Waiter(NSManagedObjectContext.didMergeChangesObjectIDsNotification, reader)
        let told = Waiter(.NSPersistentStoreRemoteChange, own)
        try writer.performAndWait {
            author.value.setValue("z", forKey: "name")
            writer.delete(gone.value)
            try writer.save()
        }
        #expect(told.wait())
        // The first save may be merged separately, with the values of the second.
        var isDone = false
        while !isDone, merged.wait() {
            isDone = reader.performAndWait {
                seen.value[0].value(forKey: "name") as? String == "z"
                    && (seen.value[1].managedObjectContext == nil || seen.value[1].isDeleted)
            }
        }
        #expect(isDone)
    }

    @Test func ownSavesAreNotMergedAgain() throws {
        let stack = try PostgreSQLStack()
        let coordinator = try stack.coordinator(HistoryStack.tracking)
        let context = try stack.context(coordinator)
        try waitForListener(stack, count: 1)
        let told = Waiter(.NSPersistentStoreRemoteChange, coordinator)
        try context.performAndWait {
            _ = context.make("Author", ["name": "a"])
            try context.save()
        }
        #expect(told.wait())
        let store = try #require(context.postgreSQL)
        let changes = try coordinator.lock.withLock {
            try store.history(after: .beginning, includesChanges: true, except: store.instance)
        }
        #expect(changes.records.isEmpty && changes.last == 1)
    }

    @Test func changesDuringALostConnectionAreMerged() throws {
        let stack = try PostgreSQLStack()
        let (own, other) = (
            try stack.coordinator(HistoryStack.tracking), try stack.coordinator([NSPersistentHistoryTrackingKey: true])
        )
        try waitForListener(stack, count: 1)
        // From here on, nobody listens until the listener has reconnected; a notification in between is lost.
        try stack.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()"
        )
        let told = Waiter(.NSPersistentStoreRemoteChange, own)
        let writer = try stack.context(other)
        try writer.performAndWait {
            _ = writer.make("Author", ["name": "a"])
            try writer.save()
        }
        #expect(told.wait())
        let reader = try stack.context(own)
        #expect(try reader.performAndWait { try reader.history().count } == 1)
    }

    /// Transactions become visible in the order of their numbers, so that a token never skips one.
    /// Without a history, a listener that was disconnected cannot know whether another program has written meanwhile.
    @Test func reconnectingIsReportedWithoutAHistory() throws {
        let stack = try PostgreSQLStack()
        let own = try stack.coordinator([NSPersistentStoreRemoteChangeNotificationPostOptionKey: true])
        try waitForListener(stack, count: 1)
        let told = Waiter(.NSPersistentStoreRemoteChange, own)
        try stack.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()"
        )
        #expect(told.wait())
    }

    @Test func transactionsBecomeVisibleInOrder() throws {
        let stack = try PostgreSQLStack()
        _ = try stack.coordinator(HistoryStack.tracking)
        let reader = try stack.context(stack.coordinator(HistoryStack.tracking))
        try onThreads(5) { number in
            if number == 0 {
                try reader.performAndWait {
                    var token: NSPersistentHistoryToken?
                    var numbers: [Int64] = []
                    while numbers.count < 80 {
                        let changes = try reader.history(after: token)
                        numbers += changes.map(\.transactionNumber)
                        token = changes.last?.token ?? token
                    }
                    #expect(numbers == Array(1...80))
                }
            } else {
                let context = try stack.context(stack.coordinator(HistoryStack.tracking))
                try context.performAndWait {
                    for _ in 0..<20 {
                        _ = context.make("Author", ["name": "\(number)"])
                        try context.save()
                    }
                }
            }
        }
    }
}
