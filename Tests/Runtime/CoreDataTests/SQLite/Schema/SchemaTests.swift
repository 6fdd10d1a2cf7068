import CSQLite3
import Testing

@testable import CoreData

/// The schema of new files, as observed in the stores and statements of Apple's framework
/// (Documentation/Formats/SQLiteStore.md, 2 to 5).
@Suite struct SchemaTests {
    private func load(_ entities: String) throws -> NSManagedObjectModel {
        try CompiledFixture().load(
            """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">\(entities)</model>
            """)
    }

    private func toMany(_ name: String, _ destination: String, _ inverse: String, ordered: Bool = false) -> String {
        "<relationship name=\"\(name)\" optional=\"YES\" toMany=\"YES\"\(ordered ? " ordered=\"YES\"" : "") "
            + "destinationEntity=\"\(destination)\" inverseName=\"\(inverse)\" inverseEntity=\"\(destination)\"/>"
    }

    private func toOne(_ name: String, _ destination: String, _ inverse: String) -> String {
        "<relationship name=\"\(name)\" optional=\"YES\" maxCount=\"1\" destinationEntity=\"\(destination)\" "
            + "inverseName=\"\(inverse)\" inverseEntity=\"\(destination)\"/>"
    }

    private func attribute(_ name: String, _ type: String = "String") -> String {
        "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"\(type)\"/>"
    }

    private func entity(_ name: String, _ parts: String..., parent: String? = nil) -> String {
        "<entity name=\"\(name)\"\(parent.map { " parentEntity=\"\($0)\"" } ?? "")>\(parts.joined())</entity>"
    }

    @Test func entitiesAreNumberedCaseInsensitively() throws {
        let schema = try SchemaBuilder.schema(
            of: load(
                entity("SyncFeature") + entity("SyncableThing") + entity("B", parent: "Root") + entity("Root")
                    + entity("A", parent: "Root") + entity("A2", parent: "A")
            ).entities)
        #expect(schema.entities.map(\.name) == ["Root", "A", "A2", "B", "SyncableThing", "SyncFeature"])
        #expect(schema.entities.map(\.number) == [1, 2, 3, 4, 5, 6])
        #expect(schema.entities.map(\.superNumber) == [0, 1, 2, 1, 0, 0])
        #expect(schema.entity(named: "Root")?.numbers == [1, 2, 3, 4])
        #expect(schema.entity(named: "A")?.numbers == [2, 3])
        #expect(schema.entity(named: "A")?.sharesTable == true)
        #expect(schema.entity(named: "Root")?.sharesTable == false)
    }

    /// Attributes with the same name in entities that share a table have separate columns.
    @Test func columnsOfOneNameAreNumbered() throws {
        let schema = try SchemaBuilder.schema(
            of: load(
                entity("Object", attribute("pk", "Integer 16"))
                    + entity("Attachment", attribute("title"), parent: "Object")
                    + entity("Note", attribute("title"), parent: "Object")
                    + entity("Folder", attribute("title"), attribute("Title1"), parent: "Object")
                    + entity("Odd", attribute("_ent"), parent: "Object")
            ).entities)
        #expect(
            schema.tables[0].statement
                == "CREATE TABLE ZOBJECT ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZPK INTEGER, "
                + "ZTITLE VARCHAR, ZTITLE1 VARCHAR, ZTITLE11 VARCHAR, ZTITLE2 VARCHAR, Z_ENT1 VARCHAR )")
    }

    @Test func columnsAreOrderedByTypeAndEntity() throws {
        let schema = try SchemaBuilder.schema(
            of: load(
                entity(
                    "Book", attribute("uniqueID", "UUID"), attribute("cover", "Transformable"),
                    attribute("data", "Binary"),
                    attribute("title"), attribute("link", "URI"), attribute("price", "Decimal"),
                    attribute("day", "Date"),
                    attribute("rating", "Float"), attribute("copies", "Double"), attribute("sold", "Boolean"),
                    attribute("count", "Integer 64"), toOne("author", "Person", "books"),
                    toOne("shelf", "Shelf", "books"))
                    + entity("Novel", attribute("pages", "Integer 16"), attribute("genre"), parent: "Book")
                    + entity("Person", toMany("books", "Book", "author")) + entity("Writer", parent: "Person")
                    + entity("Shelf", toMany("books", "Book", "shelf", ordered: true))
            ).entities)
        #expect(
            schema.tables[0].statement
                == "CREATE TABLE ZBOOK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCOUNT INTEGER, "
                + "ZSOLD INTEGER, ZAUTHOR INTEGER, ZSHELF INTEGER, Z3_AUTHOR INTEGER, Z_FOK_SHELF INTEGER, ZPAGES INTEGER, "
                + "ZCOPIES FLOAT, ZDAY TIMESTAMP, ZRATING FLOAT, ZPRICE DECIMAL, ZLINK VARCHAR, ZTITLE VARCHAR, "
                + "ZGENRE VARCHAR, ZUNIQUEID BLOB, ZCOVER BLOB, ZDATA BLOB )")
        #expect(
            schema.indexes.map(\.statement) == [
                "CREATE INDEX ZBOOK_ZAUTHOR_INDEX ON ZBOOK (ZAUTHOR)",
                "CREATE INDEX ZBOOK_ZSHELF_INDEX ON ZBOOK (ZSHELF)",
                "CREATE INDEX ZBOOK_Z_ENT_INDEX ON ZBOOK (Z_ENT)",
                "CREATE INDEX ZPERSON_Z_ENT_INDEX ON ZPERSON (Z_ENT)",
            ])
    }

    /// The order and names are those of a store of DuckDuckGo's `SyncFeatureEntity`, which Apple's framework wrote.
    @Test func attributesOfSingleElementIndexesHaveTwoIndexes() throws {
        let index = """
            <fetchIndex name="byName"><fetchIndexElement property="name" type="Binary" order="ascending"/></fetchIndex>\
            <fetchIndex name="both"><fetchIndexElement property="name" type="Binary" order="ascending"/>\
            <fetchIndexElement property="state" type="Binary" order="descending"/></fetchIndex>\
            <fetchIndex name="state"><fetchIndexElement property="state" type="Binary" order="ascending"/></fetchIndex>
            """
        let text = entity("Feature", attribute("name"), attribute("state", "Integer 16"), index)
        let schema = try SchemaBuilder.schema(of: load(text).entities)
        #expect(
            schema.indexes.map(\.statement) == [
                "CREATE INDEX Z_Feature_name ON ZFEATURE (ZNAME COLLATE BINARY ASC)",
                "CREATE INDEX Z_Feature_state ON ZFEATURE (ZSTATE COLLATE BINARY ASC)",
                "CREATE INDEX Z_Feature_byName ON ZFEATURE (ZNAME COLLATE BINARY ASC)",
                "CREATE INDEX Z_Feature_both ON ZFEATURE (ZNAME COLLATE BINARY ASC, ZSTATE COLLATE BINARY DESC)",
            ])
    }

    @Test func compoundIndexesOfOldModelsAreMade() throws {
        let text = entity(
            "Event", attribute("a"), attribute("b"),
            "<compoundIndexes><compoundIndex><index value=\"a\"/><index value=\"b\"/></compoundIndex></compoundIndexes>"
        )
        let schema = try SchemaBuilder.schema(of: load(text).entities)
        #expect(
            schema.indexes.map(\.statement) == [
                "CREATE INDEX Z_Event_a_b ON ZEVENT (ZA COLLATE BINARY ASC, ZB COLLATE BINARY ASC)"
            ])
    }

    @Test func theFirstEntityNamesTheJoinTable() throws {
        let schema = try SchemaBuilder.schema(
            of: load(
                entity("Note", toMany("task", "Task", "notes", ordered: true)) + entity("Other")
                    + entity("Task", toMany("notes", "Note", "task"))
            ).entities)
        #expect(
            schema.joinTables.map(\.statement) == [
                "CREATE TABLE Z_1TASK ( Z_1NOTES INTEGER, Z_3TASK INTEGER, Z_FOK_3TASK INTEGER, PRIMARY KEY (Z_1NOTES, Z_3TASK) )"
            ])
        #expect(
            schema.indexes.map(\.statement) == ["CREATE INDEX Z_1TASK_Z_3TASK_INDEX ON Z_1TASK (Z_3TASK, Z_1NOTES)"])
        let side = JoinSide(
            table: "Z_1TASK", own: "Z_1NOTES", other: "Z_3TASK", order: "Z_FOK_3TASK", otherOrder: nil, destination: 3,
            isReflexive: false)
        #expect(schema.entity(named: "Note")?.slotColumns == [.join(side)])
    }

    @Test func selfInverseRelationshipsHaveOneJoinTable() throws {
        let schema = try SchemaBuilder.schema(
            of: load(entity("Person", toMany("friends", "Person", "friends"))).entities)
        #expect(
            schema.joinTables.map(\.statement) == [
                "CREATE TABLE Z_1FRIENDS ( Z_1FRIENDS INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (Z_1FRIENDS, REFLEXIVE) )"
            ])
    }

    /// Names in the file take precedence, whichever side named the table and whatever the numbers of the entities.
    @Test func namesAreLookedUpInTheFile() throws {
        let model = try load(
            entity("Client", toMany("ignored", "Client", "ignoredBy"), toMany("ignoredBy", "Client", "ignored"))
                + entity("Page", toOne("book", "Book", "pages")) + entity("Book", toMany("pages", "Page", "book"))
                + entity("Comic", parent: "Book"))
        let file = FileLayout(
            tables: [
                .init(name: "ZPAGE", columns: ["Z_PK", "Z_ENT", "Z_OPT", "ZBOOK", "Z25_BOOK"]),
                .init(name: "Z_7IGNOREDBY", columns: ["Z_7IGNORED1", "Z_7IGNOREDBY"]),
            ], numbers: ["Client": 14, "Page": 3, "Book": 5, "Comic": 9])
        let schema = try SchemaBuilder.schema(of: model.entities, in: file)
        #expect(schema.entities.map(\.number) == [3, 5, 9, 14])
        #expect(
            schema.entity(named: "Page")?.slotColumns
                == [.toOne(ToOneColumns(key: "ZBOOK", entity: "Z25_BOOK", order: nil, destination: 5))])
        let side = JoinSide(
            table: "Z_7IGNOREDBY", own: "Z_7IGNOREDBY", other: "Z_7IGNORED1", order: nil, otherOrder: nil,
            destination: 14,
            isReflexive: false)
        #expect(schema.entity(named: "Client")?.slotColumns.first == .join(side))
    }

    @Test func namesAreQuotedWhereNecessary() throws {
        let model = try load(entity("Straße", attribute("größe", "Double"), attribute("名前")))
        let schema = try SchemaBuilder.schema(of: model.entities)
        let database = try TestDatabase()
        for statement in schema.statements { try database.run(statement) }
        #expect(schema.tables[0].columns.map(\.name).suffix(2) == ["ZGRÖSSE", "Z名前"])
        #expect(try SchemaBuilder.schema(of: model.entities, in: FileLayout(database)).entities == schema.entities)
    }

    /// Types without a column type are allowed only for transient attributes.
    @Test func unsupportedTypesMustBeTransient() throws {
        let model = NSManagedObjectModel()
        let entity = NSEntityDescription()
        entity.name = "Thing"
        let attribute = NSAttributeDescription()
        attribute.name = "id"
        attribute.attributeType = .objectIDAttributeType
        entity.properties = [attribute]
        model.entities = [entity]
        #expect(throws: SchemaBuilder.Failure.self) { try SchemaBuilder.schema(of: model.entities) }
        attribute.isTransient = true
        #expect(try SchemaBuilder.schema(of: model.entities).tables[0].columns.count == 3)
    }

    // MARK: Triggers

    private func derived(_ name: String, _ expression: String, _ type: String = "Integer 32") -> String {
        "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"\(type)\" derived=\"YES\" "
            + "derivationExpression=\"\(expression)\"/>"
    }

    /// Derived attributes are updated for every kind of change to the rows from which they are derived.
    @Test func derivedAttributesFollowTheirRows() throws {
        let model = try load(
            entity(
                "Book", derived("pageCount", "pages.@count"), derived("words", "pages.@sum.words"),
                derived("longest", "pages.@max.words"), derived("tagCount", "tags.@count"),
                derived("authorName", "author.name", "String"), toMany("pages", "Page", "book"),
                toMany("tags", "Tag", "books"), toOne("author", "Person", "books"))
                + entity("Page", attribute("words", "Integer 32"), toOne("book", "Book", "pages"))
                + entity("Tag", toMany("books", "Book", "tags"))
                + entity("Person", attribute("name"), toMany("books", "Book", "author")))
        let schema = try SchemaBuilder.schema(of: model.entities)
        #expect(schema.entity(named: "Book")?.derived.count == 5)
        #expect(schema.entity(named: "Book")?.derived.allSatisfy(\.hasTriggers) == true)
        let database = try TestDatabase()
        for name in [
            "NSCoreDataDATriggerUpdatedAffectedObjectValue", "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
        ] {
            sqlite3_create_function(
                database.handle, name, 5, SQLITE_UTF8, nil, { context, _, _ in sqlite3_result_null(context) }, nil, nil)
        }
        for statement in schema.statements { try database.run(statement) }
        func book(_ key: Int) throws -> [String?] {
            try database.rows(
                "SELECT ZPAGECOUNT, ZWORDS, ZLONGEST, ZTAGCOUNT, ZAUTHORNAME FROM ZBOOK WHERE Z_PK = \(key)")[0]
        }
        try database.run("INSERT INTO ZPAGE (Z_PK, ZWORDS, ZBOOK) VALUES (1, 10, 1), (2, 30, 1), (3, NULL, NULL)")
        try database.run("INSERT INTO ZPERSON (Z_PK, ZNAME) VALUES (1, 'Ann'), (2, 'Bob')")
        try database.run("INSERT INTO ZBOOK (Z_PK, Z_ENT, ZAUTHOR) VALUES (1, 1, 1), (2, 1, NULL)")
        #expect(try book(1) == ["2", "40", "30", "0", "Ann"])
        #expect(try book(2) == ["0", "0", nil, "0", nil])
        try database.run("UPDATE ZPAGE SET ZWORDS = 5 WHERE Z_PK = 2")
        try database.run("UPDATE ZPAGE SET ZBOOK = 2 WHERE Z_PK = 1")
        #expect(try book(1) == ["1", "5", "5", "0", "Ann"])
        #expect(try book(2) == ["1", "10", "10", "0", nil])
        let join = schema.joinTables[0]
        try database.run("INSERT INTO \(join.name) (\(join.key[0]), \(join.key[1])) VALUES (1, 7), (1, 8)")
        try database.run("UPDATE ZPERSON SET ZNAME = 'Anna' WHERE Z_PK = 1")
        try database.run("UPDATE ZBOOK SET ZAUTHOR = 2 WHERE Z_PK = 2")
        #expect(try book(1) == ["1", "5", "5", "2", "Anna"])
        #expect(try book(2)[4] == "Bob")
        try database.run("DELETE FROM ZPAGE WHERE Z_PK = 2")
        try database.run("DELETE FROM \(join.name) WHERE \(join.key[1]) = 7")
        try database.run("DELETE FROM ZPERSON WHERE Z_PK = 1")
        #expect(try book(1) == ["0", "0", nil, "1", nil])
    }
}
