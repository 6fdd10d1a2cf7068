import CoreDataPostgreSQL
import Foundation
import PostgreSQLClient
import PostgreSQLTestSupport
import Testing

@testable import CoreData
@testable import PostgreSQLSchema

/// The schema is derived from the model and equals the one created by the store.
@Suite struct PostgreSQLSchemaTests {
    private static func entity(_ name: String, _ properties: [NSPropertyDescription]) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = properties
        return entity
    }

    private static func attribute(
        _ name: String, _ type: NSAttributeType = .stringAttributeType
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        return attribute
    }

    private func statements(_ entities: [NSEntityDescription], partitions: Int = 0) throws -> [String] {
        let model = NSManagedObjectModel()
        model.entities = entities
        return try SchemaStatements.postgreSQL(
            model, configuration: nil, namespace: "s", partitions: partitions)
    }

    @Test func columnsHaveTheModelsNamesAndNativeTypes() throws {
        let types: [(NSAttributeType, String)] = [
            (.integer16AttributeType, "smallint"), (.integer32AttributeType, "integer"),
            (.integer64AttributeType, "bigint"), (.doubleAttributeType, "double precision"),
            (.floatAttributeType, "real"), (.decimalAttributeType, "numeric"), (.booleanAttributeType, "boolean"),
            (.dateAttributeType, "double precision"), (.stringAttributeType, "text COLLATE \"C\""),
            (.UUIDAttributeType, "uuid"), (.URIAttributeType, "text COLLATE \"C\""),
            (.binaryDataAttributeType, "bytea"), (.transformableAttributeType, "bytea"),
        ]
        let attributes = types.enumerated().map { Self.attribute("value\($0)", $1.0) }
        let table = try #require(
            try statements([Self.entity("Thing", attributes)]).first { $0.hasPrefix("CREATE TABLE \"s\".\"Thing\"") })
        for (index, type) in types.enumerated() {
            #expect(table.contains("\"value\(index)\" \(type.1),\n"))
        }
    }

    @Test func namesThatCollideAreNumbered() throws {
        let long = String(repeating: "x", count: 80)
        let entity = Self.entity(
            "Thing",
            ["_pk", "xmin", "Name", "name", "a\"b", long + "1", long + "2"].map { Self.attribute($0) })
        let table = try #require(try statements([entity]).first { $0.hasPrefix("CREATE TABLE \"s\".\"Thing\"") })
        for name in ["_pk_2", "xmin_2", "name_2", "a\"\"b"] { #expect(table.contains("\"\(name)\" text"), "\(name)") }
        let names = table.split(separator: "\n").filter { $0.contains("\"xxxx") }
        #expect(names.count == 2)
        #expect(Set(names).count == 2)
        for name in names { #expect(name.split(separator: "\"")[1].utf8.count == 63) }
    }

    @Test func tablesWithUniqueConstraintsAreNotPartitioned() throws {
        let first = Self.entity("First", [Self.attribute("code")])
        first.uniquenessConstraints = [["code"]]
        let second = Self.entity("Second", [Self.attribute("code")])
        let all = try statements([first, second], partitions: 3)
        #expect(all.filter { $0.contains("PARTITION OF \"s\".\"Second\"") }.count == 3)
        #expect(!all.contains { $0.contains("PARTITION OF \"s\".\"First\"") })
        #expect(
            all.contains {
                $0.contains("ADD CONSTRAINT \"First_code_key\" UNIQUE (\"code\") DEFERRABLE INITIALLY DEFERRED")
            })
    }

    @Test func partialAndSpatialIndexesAreCreated() throws {
        let (x, y) = (Self.attribute("x", .doubleAttributeType), Self.attribute("y", .doubleAttributeType))
        let name = Self.attribute("name")
        let entity = Self.entity("Place", [x, y, name])
        let partial = NSFetchIndexDescription(
            name: "named", elements: [NSFetchIndexElementDescription(property: name, collationType: .binary)])
        partial.partialIndexPredicate = NSPredicate(format: "x > 1.5 AND name != 'it\\'s \\\\ ?'")
        let position = NSFetchIndexDescription(
            name: "place", elements: [x, y].map { NSFetchIndexElementDescription(property: $0, collationType: .rTree) })
        entity.indexes = [partial, position]
        let all = try statements([entity])
        #expect(
            all.contains {
                $0.hasPrefix("CREATE INDEX \"Place_named\" ON \"s\".\"Place\" USING spgist (\"name\") WHERE ")
                    && $0.contains("\"Place\".\"x\" > '1.5'::double precision")
            }, "\(all)")
        #expect(
            all.contains {
                $0.hasSuffix("USING gist (point(\"x\"::double precision, \"y\"::double precision))")
            })
    }

    /// The compiler also writes a compound index for a fetch index with several elements, which is one index here.
    @Test func indexesOfOldModelsAreCreatedOnce() throws {
        func attributes(_ names: String..., rest: String = "") -> String {
            names.map { "<attribute name=\"\($0)\" optional=\"YES\" attributeType=\"Double\"\(rest)/>" }.joined()
        }
        let element = "Element property=\"%\" type=\"Binary\" order=\"ascending\"/>"
        let model = try MigrationFixture.model(
            """
            <entity name="New">\(attributes("a", "b"))<fetchIndex name="ab">\
            \(["a", "b"].map { "<fetchIndex" + element.replacing("%", with: $0) }.joined())</fetchIndex></entity>
            <entity name="Old">\(attributes("x", "y"))\(attributes("flagged", rest: " indexed=\"YES\""))<compoundIndexes>\
            <compoundIndex><index value="y"/><index value="x"/></compoundIndex>\
            <compoundIndex><index value="flagged"/></compoundIndex></compoundIndexes></entity>
            """)
        let indexes = try SchemaStatements.postgreSQL(model, configuration: nil, namespace: "s", partitions: 0)
            .filter { $0.hasPrefix("CREATE INDEX") }
        #expect(
            indexes == [
                "CREATE INDEX \"New_ab\" ON \"s\".\"New\" (\"a\" ASC NULLS FIRST, \"b\" ASC NULLS FIRST)",
                "CREATE INDEX \"Old_flagged_idx\" ON \"s\".\"Old\" (\"flagged\" ASC NULLS FIRST)",
                "CREATE INDEX \"Old_y_x\" ON \"s\".\"Old\" (\"y\" ASC NULLS FIRST, \"x\" ASC NULLS FIRST)",
            ])
    }

    /// A server accepts the statements, and the store creates the same tables.
    @Test(.needsPostgreSQL, arguments: [0, 4]) func storesCreateTheSchemaThatTheCommandPrints(partitions: Int) throws {
        let cluster = try PostgreSQLCluster.shared.get()
        let database = try cluster.createDatabase()
        let connection = try PostgreSQLConnection(cluster.parameters(database: database))
        let model = Library.model()
        for statement in try SchemaStatements.postgreSQL(
            model, configuration: nil, namespace: "printed", partitions: partitions)
        {
            try connection.execute(statement)
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSPostgreSQLStoreType, configurationName: nil, at: cluster.url(database: database),
            options: [NSPostgreSQLSchemaOption: "created", NSPostgreSQLPartitionsOption: partitions])
        func columns(_ schema: String) throws -> [String] {
            let rows = try connection.execute(
                "SELECT concat_ws(' ', c.relname, c.relkind, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull) "
                    + "FROM pg_class c LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 "
                    + "WHERE c.relnamespace = $1::text::regnamespace ORDER BY 1", [.text(schema)])
            return try (0..<rows.count).map { try rows.text($0, 0) ?? "" }
        }
        let created = try columns("created")
        #expect(created.count > 20)
        #expect(try columns("printed") == created)
    }
}
