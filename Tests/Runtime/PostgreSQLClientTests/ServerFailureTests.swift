import Foundation
import PostgreSQLClient
import PostgreSQLTestSupport
import Testing

/// Servers that refuse a connection or a request.
@Suite(.needsPostgreSQL) struct ServerFailureTests {
    private func error(_ keywords: [String: String]) -> PostgreSQLError? {
        do {
            _ = try PostgreSQLConnection(ConnectionParameters(keywords: keywords))
            return nil
        } catch {
            return error
        }
    }

    @Test func missingServerIsReported() throws {
        let failure = try #require(error(["host": "/tmp/no-such-folder", "dbname": "x", "user": "y"]))
        #expect(failure.kind == .cannotConnect && failure.sqlState == nil)
        #expect(failure.message.contains("/tmp/no-such-folder") && failure.message.contains("No such file"))
        let refused = try #require(error(["host": "127.0.0.1", "port": "1", "dbname": "x"]))
        #expect(refused.message.contains("Connection refused"))
    }

    @Test func missingDatabaseIsReported() throws {
        let failure = try #require(error(PostgreSQLCluster.shared.get().keywords(database: "nowhere")))
        #expect(failure.kind == .cannotConnect && failure.message.contains("database \"nowhere\" does not exist"))
    }

    @Test func wrongPasswordIsReportedWithoutIt() throws {
        var options = PostgreSQLCluster.Options()
        options.needsPassword = true
        let cluster = try PostgreSQLCluster(options)
        var keywords = cluster.keywords()
        #expect(error(keywords) == nil)
        keywords["password"] = "hunter2"
        let wrong = try #require(error(keywords))
        #expect(wrong.kind == .cannotConnect && wrong.message.contains("password authentication failed"))
        #expect(!"\(wrong)".contains("hunter2"))
        keywords["password"] = nil
        keywords["passfile"] = "/nonexistent"
        #expect(try #require(error(keywords)).message.contains("no password supplied"))
        // As with psql, the password can be in a password file.
        let file = cluster.folder.appendingPathComponent("pgpass")
        try "*:*:*:*:\(PostgreSQLCluster.password)\n".write(to: file, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        keywords["passfile"] = file.path
        #expect(error(keywords) == nil)
    }

    @Test func refusedTLSIsReported() throws {
        var options = PostgreSQLCluster.Options()
        // Below the ports that the system gives to clients.
        var started: PostgreSQLCluster?
        for _ in 0..<5 where started == nil {
            options.port = Int.random(in: 20_000..<32_000)
            started = try? PostgreSQLCluster(options)
        }
        let cluster = try #require(started)
        var keywords = cluster.keywords()
        keywords["host"] = "127.0.0.1"
        #expect(error(keywords) == nil)
        keywords["sslmode"] = "require"
        let failure = try #require(error(keywords))
        #expect(failure.kind == .cannotConnect && failure.message.contains("server does not support SSL"))
    }

    @Test func listOfHostsFindsTheServer() throws {
        let cluster = try PostgreSQLCluster.shared.get()
        let host = cluster.folder.path
        let encoded = host.replacingOccurrences(of: "/", with: "%2F")
        let parameters = try ConnectionParameters(
            "postgresql://modelc@%2Ftmp%2Fnone,\(encoded)/postgres?target_session_attrs=read-write")
        #expect(try PostgreSQLConnection(parameters).host.hasPrefix(host))
        let none = try ConnectionParameters(
            "postgresql://modelc@\(encoded)/postgres?target_session_attrs=standby")
        #expect(throws: PostgreSQLError.self) { try PostgreSQLConnection(none) }
    }

    @Test func serviceFileIsRead() async throws {
        let cluster = try PostgreSQLCluster.shared.get()
        let file = cluster.folder.appendingPathComponent("services")
        try "[library]\nhost=\(cluster.folder.path)\nuser=modelc\ndbname=postgres\n"
            .write(to: file, atomically: true, encoding: .utf8)
        // Other tests read the environment of this process at the same time.
        await #expect(processExitsWith: .success) { [path = file.path as String] in
            setenv("PGSERVICEFILE", path, 1)
            let connection = try PostgreSQLConnection(ConnectionParameters("postgresql://?service=library"))
            #expect(try connection.execute("SELECT current_user::text").text(0, 0) == "modelc")
        }
    }

    @Test func standbyRefusesWritesUntilItIsPromoted() throws {
        let primary = try PostgreSQLCluster()
        let writer = try PostgreSQLConnection(primary.parameters())
        try writer.execute("CREATE TABLE t (a int8)")
        var options = PostgreSQLCluster.Options()
        options.primary = primary
        let standby = try PostgreSQLCluster(options)
        let reader = try PostgreSQLConnection(standby.parameters())
        #expect(try reader.execute("SELECT pg_is_in_recovery()::int4").int(0, 0) == 1)
        try writer.execute("INSERT INTO t VALUES (1)")
        let end = Date(timeIntervalSinceNow: 60)
        while try reader.execute("SELECT count(*) FROM t").int(0, 0) != 1, Date() < end {
            Thread.sleep(forTimeInterval: 0.02)
        }
        #expect(try reader.execute("SELECT count(*) FROM t").int(0, 0) == 1)
        for body in [{ _ = try reader.execute("INSERT INTO t VALUES (2)") }, { try reader.begin() }] {
            #expect {
                try body()
            } throws: {
                ($0 as? PostgreSQLError)?.kind == .readOnly
            }
        }
        try reader.begin(.repeatableRead, readOnly: true)
        reader.rollback()
        primary.kill()
        try standby.promote()
        try reader.execute("INSERT INTO t VALUES (2)")
    }
}
