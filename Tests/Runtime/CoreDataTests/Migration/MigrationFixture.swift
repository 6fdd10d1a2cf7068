import StoreFile
import Testing

@testable import CoreData

/// A store of one version of a model, to be migrated to another.
final class MigrationFixture {
    let store: TestStore
    let source: NSManagedObjectModel

    static var options: [AnyHashable: Any] {
        [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true]
    }

    /// - Parameter entities: The entities of the first version, as XML elements of a model's `contents` file.
    init(_ entities: String) throws {
        source = try Self.model(entities)
        store = try TestStore(source)
    }

    static func model(_ entities: String) throws -> NSManagedObjectModel {
        try CompiledFixture().load(
            """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">\(entities)</model>
            """)
    }

    /// Fills the store.
    func fill(_ options: [AnyHashable: Any]? = nil, _ body: (NSManagedObjectContext) throws -> Void) throws {
        let context = try store.open(options)
        try context.performAndWait {
            try body(context)
            try context.save()
        }
        try TestStore.close(context)
    }

    /// Migrates the store and reads it.
    func migrate(
        to entities: String, _ options: [AnyHashable: Any] = [:], checksSchema: Bool = true,
        _ body: (NSManagedObjectContext) throws -> Void
    ) throws {
        let model = try Self.model(entities)
        let context = try store.open(options.merging(Self.options) { first, _ in first }, model: model)
        try context.performAndWait { try body(context) }
        try TestStore.close(context)
        if checksSchema { try expectSchema(of: model, options) }
        // Open it again without migration options.
        let again = try store.open(options, model: model)
        try TestStore.close(again)
    }

    /// Compares tables, columns, indexes, triggers and entities with those of a new store. Added columns are at the
    /// end.
    func expectSchema(of model: NSManagedObjectModel, _ options: [AnyHashable: Any] = [:]) throws {
        let other = try TestStore(model)
        try TestStore.close(try other.open(options, model: model))
        let (migrated, fresh) = (try store.database(), try other.database())
        for query in [
            "SELECT type, name, tbl_name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY 1, 2, 3",
            "SELECT sql FROM sqlite_master WHERE type != 'table' AND sql NOT NULL ORDER BY name",
            """
            SELECT m.name, c.name, c.type, c.pk FROM sqlite_master m JOIN pragma_table_info(m.name) c
            WHERE m.type = 'table' ORDER BY 1, 2
            """,
            "SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY 1",
        ] {
            let (found, expected) = (try migrated.rows(query), try fresh.rows(query))
            #expect(found == expected, "\(query)")
        }
        let (found, expected) = (try StoreFile(path: store.url.path), try StoreFile(path: other.url.path))
        #expect(found.hashes.elements.map(\.hash) == expected.hashes.elements.map(\.hash))
        #expect(
            try WriterProcess.model(of: store.url, in: store.folder)
                == WriterProcess.model(of: other.url, in: other.folder))
    }

    /// Returns the error of a migration, and checks that the file is unchanged.
    func failure(_ entities: String, _ options: [AnyHashable: Any] = MigrationFixture.options) throws -> NSError {
        let before = try Data(contentsOf: store.url)
        let model = try Self.model(entities)
        let error = try #require(nsError { _ = try store.open(options, model: model) })
        #expect(try Data(contentsOf: store.url) == before, "the store was changed")
        // The old version can still open it.
        try TestStore.close(try store.open())
        return error
    }

    /// Returns the rows of a query on the file.
    func rows(_ sql: String) throws -> [[String?]] { try store.database().rows(sql) }
}

extension NSManagedObject {
    /// Returns the values of an attribute of a relationship's objects, sorted unless the relationship is ordered.
    func values(_ key: String, of relationship: String) -> [String] {
        if let ordered = value(forKey: relationship) as? NSOrderedSet {
            return ordered.compactMap { ($0 as? NSManagedObject)?.value(forKey: key) as? String }
        }
        let members = value(forKey: relationship) as? Set<NSManagedObject> ?? []
        return members.compactMap { $0.value(forKey: key) as? String }.sorted()
    }
}
