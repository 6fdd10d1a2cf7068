import CoreDataPostgreSQL
import Foundation
import PostgreSQLClient
import PostgreSQLTestSupport
import TestSupport
import Testing

@testable import CoreData

/// Features and behavior specific to PostgreSQL stores.
@Suite(.needsPostgreSQL) struct PostgreSQLStoreTests {
    private let cluster: PostgreSQLCluster
    private let database: String
    private let url: URL
    private let connection: PostgreSQLConnection

    init() throws {
        cluster = try PostgreSQLCluster.shared.get()
        database = try cluster.createDatabase()
        url = try cluster.url(database: database)
        connection = try PostgreSQLConnection(cluster.parameters(database: database))
    }

    private func coordinator(
        _ model: NSManagedObjectModel, options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSPostgreSQLStoreType, configurationName: nil, at: url, options: options)
        return coordinator
    }

    private func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private func model(_ attributes: [(String, NSAttributeType)], unique: String? = nil) -> NSManagedObjectModel {
        let entity = NSEntityDescription()
        entity.name = "Thing"
        entity.properties = attributes.map { name, type in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.isOptional = true
            return attribute
        }
        if let unique { entity.uniquenessConstraints = [[unique]] }
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }

    private func text(_ sql: String) throws -> String? { try connection.execute(sql).text(0, 0) }

    /// Random values of all types are read back bit for bit by another coordinator.
    @Test(.randomized) func valuesRoundTrip() throws {
        let types: [(String, NSAttributeType)] = [
            ("small", .integer16AttributeType), ("middle", .integer32AttributeType), ("large", .integer64AttributeType),
            ("double", .doubleAttributeType), ("float", .floatAttributeType), ("decimal", .decimalAttributeType),
            ("flag", .booleanAttributeType), ("date", .dateAttributeType), ("text", .stringAttributeType),
            ("uuid", .UUIDAttributeType), ("link", .URIAttributeType), ("data", .binaryDataAttributeType),
        ]
        var generator = Seeds.generator()
        let model = model(types)
        let writer = context(try coordinator(model))
        let rows: [[String: Any]] = (0..<40).map { _ in
            [
                "small": Int16.random(in: .min ... .max, using: &generator),
                "middle": Int32.random(in: .min ... .max, using: &generator),
                "large": Int64.random(in: .min ... .max, using: &generator),
                "double": Self.double(&generator), "float": Float.random(in: -1e30...1e30, using: &generator),
                "decimal": NSDecimalNumber(
                    decimal: Decimal(Int64.random(in: .min ... .max, using: &generator))
                        * Decimal(sign: .plus, exponent: Int.random(in: -40...40, using: &generator), significand: 1)),
                "flag": Bool.random(using: &generator),
                "date": Date(timeIntervalSinceReferenceDate: Double.random(in: -1e10...1e10, using: &generator)),
                "text": ["", "ä\u{308}", "'\"\\;--", "😀", "\t\n"].randomElement(using: &generator) ?? "",
                "uuid": UUID(), "link": URL(string: "https://example.org/?a=b#c") ?? URL(fileURLWithPath: "/"),
                "data": Data((0..<Int.random(in: 0...300, using: &generator)).map { UInt8(truncatingIfNeeded: $0) }),
            ]
        }
        let ids = try writer.performAndWait {
            let objects = rows.map { row in
                let object = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: writer)
                for (key, value) in row { object.setValue(value, forKey: key) }
                return object
            }
            try writer.save()
            return objects.map { $0.objectID.uriRepresentation() }
        }
        let other = try coordinator(model)
        let reader = context(other)
        try reader.performAndWait {
            for (row, uri) in zip(rows, ids) {
                let id = try #require(other.managedObjectID(forURIRepresentation: uri))
                let object = try reader.existingObject(with: id)
                for (key, value) in row {
                    let read = try #require(object.value(forKey: key) as? NSObject, "\(key)")
                    #expect(read.isEqual(value), "\(key): \(read) is not \(value)")
                }
            }
        }
    }

    private static func double(_ generator: inout SeededGenerator) -> Double {
        let number = Double(bitPattern: UInt64.random(in: .min ... .max, using: &generator))
        return number.isFinite ? number : 0.1
    }

    /// Names in a model are never interpreted as SQL.
    @Test func namesAreQuoted() throws {
        let names = [
            "a\"b", "select", "x\"; DROP TABLE \"Thing\"; --", "quest?ion", "dollar$1", "ümlaut", "xmin", "_pk",
        ]
        let model = model(names.map { ($0, .stringAttributeType) })
        let stack = try coordinator(model)
        let context = context(stack)
        try context.performAndWait {
            let object = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
            for name in names { object.setValue("'\(name)?", forKey: name) }
            try context.save()
            context.reset()
            for name in names {
                // The others are not valid key paths in a predicate.
                guard !name.contains(where: { " ;?$".contains($0) }) else { continue }
                let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
                request.predicate = NSPredicate(format: "%K == %@", name, "'\(name)?")
                #expect(try context.count(for: request) == 1, "\(name)")
            }
            let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
            let found = try #require(try context.fetch(request).first)
            for name in names { #expect(found.value(forKey: name) as? String == "'\(name)?") }
        }
    }

    @Test func savesOfOneObjectByTwoProgramsConflict() throws {
        let model = model([("count", .integer64AttributeType)])
        let (one, other) = (context(try coordinator(model)), context(try coordinator(model)))
        try one.performAndWait {
            _ = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: one)
            try one.save()
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
        try other.performAndWait { try other.fetch(request).first?.setValue(1, forKey: "count") }
        try one.performAndWait {
            try one.fetch(request).first?.setValue(2, forKey: "count")
            try one.save()
        }
        other.performAndWait {
            let error = #expect(throws: NSError.self) { try other.save() }
            #expect(error?.code == CocoaError.Code.managedObjectMerge.rawValue)
        }
        #expect(try text("SELECT \"count\"::text FROM coredata.\"Thing\"") == "2")
        try other.performAndWait {
            other.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            try other.save()
        }
        #expect(try text("SELECT \"count\"::text FROM coredata.\"Thing\"") == "1")
    }

    @Test func writersNeverUseTheSameKey() throws {
        let model = model([("count", .integer64AttributeType)])
        let contexts = try (0..<3).map { _ in context(try coordinator(model)) }
        for round in 1...5 {
            for context in contexts {
                try context.performAndWait {
                    for _ in 0..<(round * 20) {
                        _ = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
                    }
                    try context.save()
                }
            }
        }
        #expect(try text("SELECT count(*)::text FROM coredata.\"Thing\"") == "900")
    }

    @Test func anIncompatibleModelIsRejectedAndNothingChanges() throws {
        _ = try coordinator(model([("a", .stringAttributeType)]))
        let error = #expect(throws: NSError.self) { try coordinator(model([("b", .stringAttributeType)])) }
        #expect(error?.code == CocoaError.Code.persistentStoreIncompatibleVersionHash.rawValue)
        #expect(
            try text(
                "SELECT string_agg(attname, ',') FROM pg_attribute WHERE attrelid = 'coredata.\"Thing\"'::regclass AND attnum > 3"
            )
                == "a")
    }

    @Test func unrelatedTablesAreKept() throws {
        _ = try connection.execute("CREATE SCHEMA coredata")
        _ = try connection.execute("CREATE TABLE coredata.\"Thing\" (own integer)")
        _ = try connection.execute("INSERT INTO coredata.\"Thing\" VALUES (7)")
        let error = #expect(throws: NSError.self) { try coordinator(model([("a", .stringAttributeType)])) }
        #expect(error?.localizedDescription.contains("already exists") == true)
        #expect(try text("SELECT own::text FROM coredata.\"Thing\"") == "7")
        #expect(try text("SELECT (to_regclass('coredata._metadata') IS NULL)::text") == "true")
    }

    @Test func textWithNULIsAnError() throws {
        let context = context(try coordinator(model([("a", .stringAttributeType)])))
        try context.performAndWait {
            let object = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
            object.setValue("a\0b", forKey: "a")
            let error = #expect(throws: NSError.self) { try context.save() }
            #expect(error?.localizedDescription.contains("Thing.a") == true)
            object.setValue("ab", forKey: "a")
            try context.save()
        }
        #expect(try text("SELECT \"a\" FROM coredata.\"Thing\"") == "ab")
    }

    @Test func objectsCanExchangeUniqueValues() throws {
        let context = context(try coordinator(model([("a", .stringAttributeType)], unique: "a")))
        try context.performAndWait {
            let objects = (0..<2).map { _ in NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
            }
            objects[0].setValue("x", forKey: "a")
            objects[1].setValue("y", forKey: "a")
            try context.save()
            objects[0].setValue("y", forKey: "a")
            objects[1].setValue("x", forKey: "a")
            try context.save()
            let third = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
            third.setValue("x", forKey: "a")
            let error = #expect(throws: NSError.self) { try context.save() }
            #expect(error?.code == CocoaError.Code.managedObjectConstraintMerge.rawValue)
        }
        #expect(try text("SELECT count(*)::text FROM coredata.\"Thing\"") == "2")
    }

    @Test func partitionedStoresWork() throws {
        let coordinator = try coordinator(
            model([("a", .integer64AttributeType)]), options: [NSPostgreSQLPartitionsOption: 3])
        let context = context(coordinator)
        try context.performAndWait {
            for number in 0..<500 {
                NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context).setValue(number, forKey: "a")
            }
            try context.save()
            context.reset()
            let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
            request.predicate = NSPredicate(format: "a < 100")
            #expect(try context.count(for: request) == 100)
        }
        #expect(try text("SELECT (count(*) < 500)::text FROM coredata.\"Thing_p0\"") == "true")
    }
}
