import CoreDataPostgreSQL
import Foundation
import PostgreSQLClient
import PostgreSQLTestSupport
import RuntimeSupport
import Testing

@testable import CoreData

/// No error, message or description contains the password of a store's URL, whatever goes wrong.
@Suite struct PostgreSQLPasswordTests {
    private static let password = "hunter2%2F"

    /// Returns everything that a program may print about an error.
    private func texts(_ error: any Error) -> [String] {
        let error = error as NSError
        var all = ["\(error)", error.localizedDescription, error.debugDescription, String(reflecting: error)]
        for (key, value) in error.userInfo {
            all += [key, "\(value)", String(reflecting: value)]
            if let url = value as? URL { all += [url.absoluteString, url.password ?? "", url.query ?? ""] }
            if let inner = value as? NSError { all += texts(inner) }
            if let list = value as? [NSError] { all += list.flatMap(texts) }
        }
        return all
    }

    private func expectNoPassword(
        _ error: any Error, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for text in texts(error) {
            #expect(!text.contains("hunter2"), "\(text)", sourceLocation: sourceLocation)
        }
    }

    private func open(
        _ url: String, _ model: NSManagedObjectModel = Library.model(), options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSPostgreSQLStoreType, configurationName: nil, at: URL(string: url), options: options)
        return coordinator
    }

    @Test(arguments: [
        "postgresql://user:hunter2%2F@127.0.0.1:1/db", "postgresql://user@127.0.0.1:1/db?password=hunter2",
        "postgresql://user:hunter2@127.0.0.1:1/db?sslmode=nonsense",
        "postgresql://user:hunter2@127.0.0.1:1/db?nonsense=1",
        "postgresql://user:hun/hunter2@127.0.0.1:1/db", "postgresql://user:hunter2:x@y@127.0.0.1:1/db",
        "postgresql://127.0.0.1:1/db?%70assword=hunter2", "postgresql://user:hunter2@[::1:1/db",
        "postgresql://user:hunter2@127.0.0.1:port/db", "postgresql://user:hunter2@%2Fno%2Fsocket/db",
        "postgresql://user:hunter2@127.0.0.1:1/db?sslpassword=hunter2&sslkey=/none",
    ])
    func errorsOfUnreachableServersHaveNoPassword(url: String) throws {
        // Foundation rejects some of them.
        guard let parsed = URL(string: url) else { return }
        let error = try #require(nsError { _ = try open(url) }, "\(url)")
        #expect(error.domain == NSCocoaErrorDomain && error.code == CocoaError.Code.persistentStoreOpen.rawValue)
        expectNoPassword(error)
        for body in [
            {
                _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                    ofType: NSPostgreSQLStoreType, at: parsed)
            },
            {
                try NSPersistentStoreCoordinator(managedObjectModel: Library.model())
                    .destroyPersistentStore(at: parsed, ofType: NSPostgreSQLStoreType)
            },
            {
                try NSPersistentStoreCoordinator(managedObjectModel: Library.model())
                    .replacePersistentStore(
                        at: parsed, withPersistentStoreFrom: parsed, ofType: NSPostgreSQLStoreType)
            },
        ] {
            expectNoPassword(try #require(nsError(body)))
        }
        let description = NSPersistentStoreDescription(url: parsed)
        description.type = NSPostgreSQLStoreType
        #expect(!"\(description)".contains("hunter2"))
    }

    @Test func errorsOfUnknownStoreTypesHaveNoPassword() throws {
        let url = try #require(URL(string: "postgresql://user:\(Self.password)@localhost/db"))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        expectNoPassword(
            try #require(
                nsError { try coordinator.addPersistentStore(ofType: "Unknown", configurationName: nil, at: url) }))
        expectNoPassword(
            try #require(
                nsError {
                    try coordinator.addPersistentStore(
                        ofType: NSPostgreSQLStoreType, configurationName: "Unknown", at: url)
                }))
    }

    @Test(.needsPostgreSQL) func errorsOfOpenStoresHaveNoPassword() throws {
        let stack = try PostgreSQLStack()
        let url = try stack.url(["password": "hunter2"])
        let coordinator = try stack.coordinator(at: url)
        let context = try stack.context(coordinator)
        let store = try #require(coordinator.persistentStores.first)
        try context.performAndWait {
            let author = context.make("Author", ["name": "a\0b"])
            expectNoPassword(try #require(nsError { try context.save() }))
            author.setValue("a", forKey: "name")
            try context.save()
            #expect(!"\(author.objectID) \(author.objectID.uriRepresentation()) \(author)".contains("hunter2"))
            #expect(!"\(store) \(coordinator) \(context)".contains("hunter2"))
            store.isReadOnly = true
            author.setValue("c", forKey: "name")
            let readOnly = try #require(nsError { try context.save() })
            expectNoPassword(readOnly)
            let named = try #require(readOnly.userInfo[CoreData.NSURLErrorKey] as? URL)
            #expect(
                coordinator.persistentStore(for: named) === store && coordinator.persistentStore(for: url) === store)
            context.rollback()
            expectNoPassword(
                try #require(
                    nsError {
                        try context.execute(NSBatchInsertRequest(entityName: "Author", objects: [["name": "x"]]))
                    }
                ))
            expectNoPassword(
                try #require(
                    nsError { try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: Date())) }))
        }
        expectNoPassword(
            try #require(
                nsError { try coordinator.migratePersistentStore(store, to: url, withType: NSPostgreSQLStoreType) }))
        let other = Library.model()
        try #require(other.entitiesByName["Author"]).properties.removeLast()
        try #require(other.entitiesByName["Book"]).properties.removeAll { $0.name == "author" }
        let version = try #require(nsError { _ = try open(url.absoluteString, other) })
        #expect(version.code == CocoaError.Code.persistentStoreIncompatibleVersionHash.rawValue)
        expectNoPassword(version)
        expectNoPassword(
            try #require(
                nsError {
                    _ = try open(
                        url.absoluteString,
                        options: [NSPostgreSQLSchemaOption: "none", NSReadOnlyPersistentStoreOption: true])
                }))
        stack.connection.rollback()
        try stack.run("DROP SCHEMA coredata CASCADE")
        context.performAndWait {
            context.refreshAllObjects()
            if let error = nsError({ _ = try context.all("Author") }) {
                expectNoPassword(error)
            } else {
                Issue.record("the table is gone")
            }
        }
    }

    @Test(arguments: [
        ("see postgresql://u:p@h/d now", "see postgresql://u@h/d now"),
        ("postgres://u:p/q@h:1/d?sslmode=require&password=p", "postgres://u@h:1/d?sslmode=require&password="),
        ("https://h:80/a@b?x=1 and ftp://u:p@h/f", "https://h:80/a@b?x=1 and ftp://u@h/f"),
        ("host=h password=p user=u", "host=h password= user=u"),
        ("host=h password='p q' user=u", "host=h password= user=u"),
        ("100% of user@host", "100% of user@host"),
    ])
    func passwordsAreRedacted(text: String, expected: String) { #expect(Redaction.text(text) == expected) }

    @Test func valuesOfTheProgramAreNotRedacted() {
        let value = "postgresql://u:p@h/d"
        let error = CoreDataError.error(
            .coreData, text: "x", userInfo: [NSValidationValueErrorKey: value, "other": value])
        #expect(error.userInfo[NSValidationValueErrorKey] as? String == value)
        #expect(error.userInfo["other"] as? String == "postgresql://u@h/d")
    }
}
