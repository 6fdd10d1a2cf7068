import PostgreSQLClient
import PostgreSQLTestSupport
import RuntimeSupport
import TestSupport
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL
@testable import PostgreSQLSchema

private typealias Fixture = PostgreSQLMigrationFixture

/// Migrations during which the program or the server is killed.
@Suite(.needsPostgreSQL) struct PostgreSQLMigrationKillTests {
    private static let kills = Int(ProcessInfo.processInfo.environment["MODELC_KILLS"] ?? "") ?? 3

    /// Checks that a store has one of two versions as a whole, and returns whether it is the new one.
    private func isMigrated(_ old: PostgreSQLStack, _ new: PostgreSQLStack, rows: Int) throws -> Bool {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSPostgreSQLStoreType, at: old.url)
        let isNew = new.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
        let current = isNew ? new : old
        try PostgreSQLMigrationFuzzTests.expectSchemaOfNewStore(current)
        let context = try current.context()
        try context.performAndWait {
            let books = try context.all("Book")
            #expect(books.count == rows)
            #expect(Set(books.compactMap { $0.value(forKey: "title") as? String }).count == rows)
        }
        try current.close(context)
        return isNew
    }

    /// Kills the program or the server while a program migrates.
    private func killed(_ cluster: PostgreSQLCluster? = nil, kill: (WriterProcess, Double) throws -> Void) throws {
        var random = Seeds.generator()
        let rows = 300
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let destination = folder.appendingPathComponent("New.mom")
        try MappingArchive.model(MigrationFixture.model(Fixture.second)).write(to: destination)
        var duration = 0.0
        for round in 0...Self.kills {
            var stack = try PostgreSQLStack(MigrationFixture.model(Fixture.first), cluster: cluster)
            let context = try stack.context()
            try context.performAndWait {
                for number in 0..<rows { _ = context.make("Book", ["title": "\(number)"]) }
                try context.save()
            }
            try stack.close(context)
            var version = try stack.version(Fixture.second)
            let start = Date()
            let writer = try WriterProcess("migrate", stack.url.absoluteString, destination.path)
            if round == 0 {
                // Not killed, to learn how long a migration takes.
                #expect(writer.finish().lines.last == "migrated")
                duration = Date().timeIntervalSince(start)
                #expect(try isMigrated(stack, version, rows: rows))
                continue
            }
            try kill(writer, .random(in: 0...duration, using: &random))
            let end = Date(timeIntervalSinceNow: 120)
            let others =
                "SELECT count(*)::text FROM pg_stat_activity WHERE datname = '\(stack.database)' AND pid <> pg_backend_pid()"
            let watcher = try PostgreSQLConnection(stack.cluster.parameters(database: stack.database))
            while try watcher.execute(others).text(0, 0) != "0", Date() < end, cluster == nil {
                Thread.sleep(forTimeInterval: 0.01)
                if try watcher.execute(others).text(0, 0) == "1" { break }
            }
            // The server has ended the former connections.
            (stack.connection, version.connection) = (watcher, watcher)
            _ = try isMigrated(stack, version, rows: rows)
        }
    }

    @Test(.randomized) func killedProgramsLeaveTheOldOrTheNewVersion() throws {
        try killed { writer, delay in _ = writer.kill(after: delay) }
    }

    @Test(.randomized) func killedServersLeaveTheOldOrTheNewVersion() throws {
        let cluster = try PostgreSQLCluster()
        try killed(cluster) { writer, delay in
            Thread.sleep(forTimeInterval: delay)
            cluster.kill()
            try cluster.start()
            // The program may have connected again, and migrated.
            _ = writer.finish()
        }
    }
}
