import Foundation
import PostgreSQLClient
import PostgreSQLTestSupport
import Synchronization
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

/// What stores report to operators.
@Suite(.needsPostgreSQL) struct PostgreSQLObserverTests {
    private final class Events: Sendable {
        private let events = Mutex<[PostgreSQLObserver.Event]>([])

        func observer(limit: TimeInterval) -> PostgreSQLObserver {
            PostgreSQLObserver(slowStatementLimit: limit) { event in self.events.withLock { $0.append(event) } }
        }

        var all: [PostgreSQLObserver.Event] { events.withLock { $0 } }
    }

    @Test func slowStatementsAreReportedWithoutValues() throws {
        let stack = try PostgreSQLStack()
        let events = Events()
        let context = try stack.context(stack.coordinator([NSPostgreSQLObserverOption: events.observer(limit: 0)]))
        try context.performAndWait {
            let author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
            author.setValue("secret name", forKey: "name")
            try context.save()
        }
        let statements = events.all.flatMap { event -> [String] in
            if case .slowStatements(let sql, let seconds) = event, seconds >= 0 { sql } else { [] }
        }
        #expect(statements.contains { $0.hasPrefix("INSERT INTO \"coredata\".\"Author\"") })
        #expect(statements.contains("COMMIT"))
        #expect(!statements.contains { $0.contains("secret name") })
        let patient = Events()
        _ = try stack.context(stack.coordinator([NSPostgreSQLObserverOption: patient.observer(limit: 3600)]))
        #expect(patient.all == [])
    }

    @Test func waitsForConnectionsAreReported() throws {
        let stack = try PostgreSQLStack()
        let events = Events()
        let pool = try ConnectionPool(
            stack.cluster.parameters(database: stack.database), limit: 1,
            observer: events.observer(limit: 3600).client)
        // On a busy machine, the connection may be back before it is requested. Without a wait, this is repeated.
        for _ in 0..<50 where events.all.isEmpty {
            let connection = try pool.checkOut()
            let thread = Thread {
                Thread.sleep(forTimeInterval: 0.2)
                pool.checkIn(connection)
            }
            thread.start()
            try pool.withConnection { _ in }
        }
        guard case .connectionWait(let seconds, let limit)? = events.all.first else {
            Issue.record("\(events.all)")
            return
        }
        #expect(seconds > 0 && seconds < 30 && limit == 1)
        #expect(events.all.count == 1)
    }

    @Test func repeatedTransactionsAreReported() throws {
        let stack = try PostgreSQLStack()
        let events = Events()
        let context = try stack.context(stack.coordinator([NSPostgreSQLObserverOption: events.observer(limit: 3600)]))
        let store = try #require(context.postgreSQL)
        var attempts = 0
        try store.transaction([]) { _ in
            attempts += 1
            guard attempts < 3 else { return }
            var failure = PostgreSQLError(.serializationFailure, "could not serialize access")
            failure.sqlState = "40001"
            throw failure
        }
        #expect(events.all == [.retry(attempt: 2, sqlState: "40001"), .retry(attempt: 3, sqlState: "40001")])
    }

    @Test(arguments: [
        ("db.example.com", "192.0.2.1", true), ("db", "10.0.0.7", true), ("localhost", "127.0.0.1", false),
        ("proxy", "127.0.0.1", false), ("::1", "::1", false), ("/run/postgresql", "", false), ("", "", false),
        ("db.example.com", "", true),
    ])
    func onlyServersOnOtherMachinesNeedAVerifiedIdentity(host: String, address: String, isRemote: Bool) {
        #expect(ConnectionParameters.isRemote(host: host, address: address) == isRemote)
    }

    @Test func aWarningNamesTheHostAndTheMode() throws {
        let text = UnverifiedServers.warning(host: "db.example.com", mode: "prefer")
        #expect(text.contains("“db.example.com”") && text.contains("sslmode=prefer") && text.contains("verify-full"))
        // A socket is on this machine.
        #expect(try PostgreSQLConnection(PostgreSQLCluster.shared.get().parameters()).unverifiedHost == nil)
    }

    @Test func twoProgramsThatSetMetadataFollowEachOther() throws {
        let stack = try PostgreSQLStack()
        _ = try stack.coordinator()
        // A transaction of another program has written the metadata, and not committed yet.
        try stack.run("BEGIN", #"UPDATE coredata."_metadata" SET "uuid" = 'other' WHERE "version" = 1"#)
        let (url, done) = (stack.url, DispatchSemaphore(value: 0))
        let thread = Thread {
            try? NSPersistentStoreCoordinator.setMetadata(
                ["mine": 1], forPersistentStoreOfType: NSPostgreSQLStoreType, at: url, options: nil)
            done.signal()
        }
        thread.start()
        #expect(done.wait(timeout: .now() + 0.5) == .timedOut)
        try stack.run("COMMIT")
        #expect(done.wait(timeout: .now() + 120) == .success)
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSPostgreSQLStoreType, at: url, options: nil)
        #expect(metadata["mine"] as? Int == 1)
        // The UUID is the one that the other program has written, not the one from before.
        #expect(metadata[NSStoreUUIDKey] as? String == "other")
    }
}
