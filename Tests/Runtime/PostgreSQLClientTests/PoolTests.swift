import Foundation
import PostgreSQLClient
import PostgreSQLTestSupport
import Synchronization
import Testing

/// The connection pool, with a separate server for tests that stop it.
@Suite(.needsPostgreSQL) struct PoolTests {
    private func kind(_ body: () throws -> some Any) -> PostgreSQLError.Kind? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? PostgreSQLError)?.kind
        }
    }

    /// The server processes used by a pool's connections.
    private final class Processes: Sendable {
        let seen = Mutex<[Int32]>([])
    }

    @Test func connectionsAreReusedAndBounded() throws {
        let processes = Processes()
        let pool = ConnectionPool(try PostgreSQLCluster.shared.get().parameters(), limit: 3) { connection in
            processes.seen.withLock { $0.append(connection.backendProcess) }
        }
        try onThreads(20) { _ in
            let process = try pool.withConnection { connection in
                try connection.execute("SELECT pg_sleep(0.01)")
                return connection.backendProcess
            }
            #expect(processes.seen.withLock { $0 }.contains(process))
        }
        #expect((1...3).contains(processes.seen.withLock { $0 }.count))
        #expect(pool.roundTrips == 20)
    }

    @Test func waitingForAConnectionEnds() throws {
        let pool = ConnectionPool(try PostgreSQLCluster.shared.get().parameters(), limit: 1, waitingLimit: 0.1)
        try pool.withConnection { _ in
            #expect(kind { try pool.withConnection { _ in } } == .timeout)
        }
        #expect(kind { try pool.withConnection { _ in } } == nil)
    }

    @Test func openTransactionIsRolledBackOnReturn() throws {
        let pool = ConnectionPool(try PostgreSQLCluster.shared.get().parameters(), limit: 1)
        try pool.withConnection { connection in
            try connection.begin()
            try connection.execute("CREATE TABLE left_open (a int8)")
        }
        try pool.withConnection { connection in
            #expect(!connection.isInTransaction)
            let rows = try connection.execute("SELECT to_regclass('left_open')::text")
            #expect(rows.bytes(0, 0) == nil)
        }
    }

    @Test func connectionThatCannotBeConfiguredIsNotCounted() throws {
        let fails = Mutex(true)
        let pool = ConnectionPool(try PostgreSQLCluster.shared.get().parameters(), limit: 1, waitingLimit: 1) { _ in
            if fails.withLock({ $0 }) { throw PostgreSQLError(.other, "not today") }
        }
        for _ in 0..<3 { #expect(kind { try pool.withConnection { _ in } } == .other) }
        fails.withLock { $0 = false }
        #expect(kind { try pool.withConnection { _ in } } == nil)
    }

    @Test func killedBackendFailsOneOperationAtMost() throws {
        let parameters = try PostgreSQLCluster.shared.get().parameters()
        let pool = ConnectionPool(parameters, limit: 2)
        let killer = try PostgreSQLConnection(parameters)
        func kill(_ process: Int32) throws {
            try killer.execute("SELECT pg_terminate_backend(\(process))")
        }
        // In the middle of an operation.
        let lost = kind {
            try pool.withConnection { connection in
                try kill(connection.backendProcess)
                try connection.execute("SELECT pg_sleep(5)")
            }
        }
        #expect(lost == .connectionLost)
        #expect(kind { try pool.withConnection { try $0.execute("SELECT 1") } } == nil)
        // While it is idle.
        let process = try pool.withConnection { $0.backendProcess }
        try kill(process)
        let end = Date(timeIntervalSinceNow: 60)
        let isRunning = Statement("SELECT count(*) FROM pg_stat_activity WHERE pid = \(process)")
        while try killer.execute(isRunning).int(0, 0) != 0, Date() < end { Thread.sleep(forTimeInterval: 0.02) }
        // The backend leaves the view before it closes its socket, which is closed when the process is gone.
        while FileManager.default.fileExists(atPath: "/proc/\(process)"), Date() < end {
            Thread.sleep(forTimeInterval: 0.02)
        }
        #expect(kind { try pool.withConnection { try $0.execute("SELECT 1") } } == nil)
        #expect(try pool.withConnection { $0.backendProcess } != process)
    }

    @Test func backendKilledInTheMiddleOfACopyIsALostConnection() throws {
        let parameters = try PostgreSQLCluster.shared.get().parameters()
        let connection = try PostgreSQLConnection(parameters)
        let killer = try PostgreSQLConnection(parameters)
        try connection.execute("CREATE TEMP TABLE t (a int8)")
        let result = kind {
            var number: Int64 = 0
            try connection.copyIn("COPY t FROM STDIN (FORMAT binary)") {
                if number == 10_000 {
                    try killer.execute("SELECT pg_terminate_backend(\(connection.backendProcess))")
                }
                guard number < 2_000_000 else { return nil }
                defer { number += 1 }
                return copyRow([.int(number)])
            }
        }
        #expect(result == .connectionLost)
        #expect(connection.isBroken)
        #expect(kind { try connection.execute("SELECT 1") } == .connectionLost)
    }

    @Test func poolSurvivesARestartOfTheServer() throws {
        let cluster = try PostgreSQLCluster()
        let pool = ConnectionPool(try cluster.parameters(), limit: 3)
        try pool.withConnection { first in
            try pool.withConnection { second in
                try first.execute("CREATE TABLE t (a int8)")
                try second.execute("SELECT 1")
            }
        }
        cluster.stop()
        #expect(kind { try pool.withConnection { try $0.execute("SELECT 1") } } == .cannotConnect)
        try cluster.start()
        for _ in 0..<3 { #expect(kind { try pool.withConnection { try $0.execute("SELECT * FROM t") } } == nil) }
        cluster.kill()
        // A backend that has not noticed yet that its server is gone may still accept the connection and then exit.
        let failure = kind { try pool.withConnection { try $0.execute("SELECT 1") } }
        #expect(failure == .cannotConnect || failure == .connectionLost)
        try cluster.start()
        #expect(kind { try pool.withConnection { try $0.execute("SELECT * FROM t") } } == nil)
    }

    @Test func closedPoolGivesNoConnections() throws {
        let pool = ConnectionPool(try PostgreSQLCluster.shared.get().parameters())
        try pool.withConnection { try $0.execute("SELECT 1") }
        pool.close()
        #expect(kind { try pool.withConnection { _ in } } == .cannotConnect)
        #expect(pool.roundTrips == 1)
    }
}
