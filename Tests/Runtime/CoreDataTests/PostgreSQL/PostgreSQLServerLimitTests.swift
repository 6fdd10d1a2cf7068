import CoreDataPostgreSQL
import PostgreSQLTestSupport
import TestSupport
import Testing

import struct Foundation.Data

@testable import CoreData

/// Servers without room, servers that are too old, and requests that a store rejects.
@Suite(.needsPostgreSQL) struct PostgreSQLServerLimitTests {
    // MARK: Full disks

    /// Text that hardly compresses, of at least `count` bytes.
    private func text(_ count: Int, _ random: inout SeededGenerator) -> String {
        // One call for eight bytes: a random element for each would take most of the test's time.
        let words = (0...count * 3 / 4 / 8).map { _ in random.next() as UInt64 }
        return words.withUnsafeBytes { Data($0).base64EncodedString() }
    }

    /// Saves until there is no room, makes room, and saves what was left.
    private func fill(_ stack: PostgreSQLStack, until message: String, makeRoom: () throws -> Void) throws {
        var random = Seeds.generator()
        let context = try stack.context()
        try context.performAndWait {
            var saved = 0
            var failure: NSError?
            while failure == nil, saved < 200 {
                for part in 0..<3 {
                    _ = context.make("Author", ["name": "\(saved).\(part)" + text(100_000, &random)])
                }
                failure = nsError { try context.save() }
                if failure == nil { saved += 1 }
            }
            let error = try #require(failure)
            #expect(error.domain == NSCocoaErrorDomain && error.code == CocoaError.Code.persistentStoreSave.rawValue)
            #expect(error.localizedDescription.contains(message), "\(error.localizedDescription)")
            #expect(context.insertedObjects.count == 3)
            #expect(try stack.text("SELECT count(*)::text FROM coredata.\"Author\"") == "\(saved * 3)")
            // COPY reports the same.
            let objects = (0..<3).map { ["name": "batch \($0)" + text(1_000_000, &random)] }
            let request = NSBatchInsertRequest(entityName: "Author", objects: objects)
            let batch = try #require(nsError { try context.execute(request) })
            #expect(batch.localizedDescription.contains(message), "\(batch.localizedDescription)")
            #expect(try stack.text("SELECT count(*)::text FROM coredata.\"Author\"") == "\(saved * 3)")
            try makeRoom()
            let left = try #require(
                try stack.text("SELECT count(*)::text FROM coredata.\"Author\"").flatMap { Int($0) })
            #expect(left == saved * 3 || left == 0)
            try context.save()
            #expect(try stack.text("SELECT count(*)::text FROM coredata.\"Author\"") == "\(left + 3)")
        }
    }

    @Test(.randomized) func fileSizeLimitsAreErrors() throws {
        var options = PostgreSQLCluster.Options()
        options.fileSizeLimit = 8 * 1024 * 1024
        let stack = try PostgreSQLStack(cluster: PostgreSQLCluster(options))
        try fill(stack, until: "File too large") { try stack.run("TRUNCATE coredata.\"Author\" CASCADE") }
    }

    /// The tables are on a disk of 8 MB.
    @Test(.randomized, .enabled(if: ServerDisk.isAvailable, "needs root, and permission to mount"))
    func fullDisksAreErrors() throws {
        let stack = try PostgreSQLStack(cluster: PostgreSQLCluster())
        let disk = try ServerDisk(of: stack.cluster, megabytes: 8)
        defer {
            stack.cluster.stop()
            disk.remove()
        }
        try stack.run("CREATE TABLESPACE small LOCATION '\(disk.folder.path)'")
        _ = try stack.coordinator()
        try stack.run("ALTER TABLE coredata.\"Author\" SET TABLESPACE small")
        try fill(stack, until: "No space left on device") { try disk.grow(megabytes: 64) }
    }

    // MARK: Servers

    @Test func serversThatAreTooOldAreErrors() throws {
        let server = try StubServer(version: "11.22")
        defer { server.stop() }
        let stack = try PostgreSQLStack()
        let url = try stack.url(["host": server.folder.path, "port": "5432"])
        let error = try #require(nsError { _ = try stack.coordinator(at: url) })
        #expect(error.domain == NSCocoaErrorDomain && error.code == CocoaError.Code.persistentStoreOpen.rawValue)
        #expect(
            error.localizedDescription.contains("the server is PostgreSQL 11; version 12 or later is required"),
            "\(error.localizedDescription)")
    }

    /// A server of a supported version whose connection ends with the first question.
    @Test func closedConnectionsAreErrors() throws {
        let server = try StubServer(version: "16.1")
        defer { server.stop() }
        let stack = try PostgreSQLStack()
        let url = try stack.url(["host": server.folder.path, "port": "5432"])
        let error = try #require(nsError { _ = try stack.coordinator(at: url) })
        #expect(error.domain == NSCocoaErrorDomain && error.code == CocoaError.Code.persistentStoreOpen.rawValue)
        #expect(
            error.localizedDescription.contains("server closed the connection unexpectedly"),
            "\(error.localizedDescription)")
    }

    // MARK: Derived attributes

    /// A derived attribute that goes over two relationships is computed when its own object is saved, and only then.
    @Test func derivedAttributesCrossTwoRelationships() throws {
        let model = Library.model()
        func add(_ name: String, _ expression: String, to entity: String, _ type: NSAttributeType) {
            let attribute = NSDerivedAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.isOptional = true
            attribute.derivationExpression = NSExpression(format: expression)
            model.entitiesByName[entity]?.properties.append(attribute)
        }
        add("sequelAuthor", "sequel.author.name", to: "Book", .stringAttributeType)
        let stack = try PostgreSQLStack(model)
        let context = try stack.context()
        try context.performAndWait {
            let author = context.make("Author", ["name": "a"])
            let sequel = context.make("Book", ["author": author])
            let book = context.make("Book", ["sequel": sequel])
            try context.save()
            func stored() throws -> String? {
                try stack.text("SELECT \"sequelAuthor\" FROM coredata.\"Book\" WHERE \"sequel\" IS NOT NULL")
            }
            #expect(try stored() == "a")
            author.setValue("b", forKey: "name")
            try context.save()
            #expect(try stored() == "a")
            book.setValue("title", forKey: "title")
            try context.save()
            #expect(try stored() == "b")
            context.refresh(book, mergeChanges: false)
            #expect(book.value(forKey: "sequelAuthor") as? String == "b")
            #expect(!context.hasChanges)
        }
    }
}
