import CoreData
import Testing

/// Lightweight migration of attributes (Apple, “Using Lightweight Migration”).
@Suite struct AttributeMigrationTests {
    private static let book = """
        <entity name="Book">
            <attribute name="title" optional="YES" attributeType="String"/>
            <attribute name="pages" optional="YES" attributeType="Integer 16"/>
        </entity>
        """

    private func filled() throws -> MigrationFixture {
        let fixture = try MigrationFixture(Self.book)
        try fixture.fill { context throws in
            _ = context.make("Book", ["title": "Emma", "pages": 300])
            _ = context.make("Book", ["title": "Persuasion"])
        }
        return fixture
    }

    @Test func newAttributesGetTheirDefaultInExistingRows() throws {
        let fixture = try filled()
        let keys = try fixture.rows("SELECT Z_PK, Z_OPT FROM ZBOOK ORDER BY 1")
        try fixture.migrate(
            to: """
                <entity name="Book">
                    <attribute name="title" optional="YES" attributeType="String"/>
                    <attribute name="pages" optional="YES" attributeType="Integer 16"/>
                    <attribute name="isLent" attributeType="Boolean" defaultValueString="YES"/>
                    <attribute name="shelf" optional="YES" attributeType="String" defaultValueString="A’1"/>
                    <attribute name="note" optional="YES" attributeType="String"/>
                    <attribute name="since" attributeType="Date" defaultDateTimeInterval="86400"/>
                    <attribute name="price" attributeType="Decimal" defaultValueString="1.5"/>
                </entity>
                """
        ) { context throws in
            let books = try context.all("Book", by: "title")
            #expect(books.map { $0.value(forKey: "title") as? String } == ["Emma", "Persuasion"])
            for book in books {
                #expect(book.value(forKey: "isLent") as? Bool == true)
                #expect(book.value(forKey: "shelf") as? String == "A’1")
                #expect(book.value(forKey: "note") == nil)
                #expect(book.value(forKey: "since") as? Date == Date(timeIntervalSinceReferenceDate: 86400))
                #expect(book.value(forKey: "price") as? NSDecimalNumber == NSDecimalNumber(string: "1.5"))
            }
        }
        #expect(try fixture.rows("SELECT Z_PK, Z_OPT FROM ZBOOK ORDER BY 1") == keys)
    }

    @Test func removedAttributeLosesItsColumn() throws {
        let fixture = try filled()
        try fixture.migrate(
            to: "<entity name=\"Book\"><attribute name=\"title\" optional=\"YES\" attributeType=\"String\"/></entity>"
        ) { context throws in
            #expect(try context.all("Book", by: "title").count == 2)
        }
        #expect(
            try fixture.rows("SELECT name FROM pragma_table_info('ZBOOK')").flatMap { $0 }
                == ["Z_PK", "Z_ENT", "Z_OPT", "ZTITLE"])
    }

    @Test func renamedEntityAndAttributesKeepTheirValues() throws {
        let fixture = try filled()
        // The two attributes swap their names.
        try fixture.migrate(
            to: """
                <entity name="Novel" elementID="Book">
                    <attribute name="pages" optional="YES" attributeType="String" elementID="title"/>
                    <attribute name="title" optional="YES" attributeType="Integer 16" elementID="pages"/>
                </entity>
                """
        ) { context throws in
            let novels = try context.all("Novel", by: "pages")
            #expect(novels.map { $0.value(forKey: "pages") as? String } == ["Emma", "Persuasion"])
            #expect(novels.map { $0.value(forKey: "title") as? Int } == [300, nil])
            #expect(novels.map { $0.objectID.uriRepresentation().lastPathComponent }.sorted() == ["p1", "p2"])
        }
        // A chain of renamings: the identifier is that of the first version.
        try fixture.migrate(
            to: """
                <entity name="Work" elementID="Book">
                    <attribute name="name" optional="YES" attributeType="String" elementID="title"/>
                    <attribute name="length" optional="YES" attributeType="Integer 16" elementID="pages"/>
                </entity>
                """
        ) { context throws in
            let works = try context.all("Work", by: "name")
            #expect(works.map { $0.value(forKey: "name") as? String } == ["Emma", "Persuasion"])
            #expect(works.map { $0.value(forKey: "length") as? Int } == [300, nil])
        }
    }

    @Test func requiredAttributeGetsItsDefaultWhereThereWasNoValue() throws {
        let fixture = try filled()
        try fixture.migrate(
            to: """
                <entity name="Book">
                    <attribute name="title" attributeType="String" defaultValueString="?"/>
                    <attribute name="pages" attributeType="Integer 16" defaultValueString="7"/>
                </entity>
                """
        ) { context throws in
            #expect(try context.all("Book", by: "title").map { $0.value(forKey: "pages") as? Int } == [300, 7])
        }
    }

    @Test(arguments: [
        ("Integer 16", "Integer 64", 300), ("Integer 64", "Integer 16", -300), ("Integer 32", "Double", 300),
        ("Integer 16", "Float", 12), ("Double", "Integer 32", 44), ("Float", "Double", 3), ("Double", "Float", 2),
    ])
    func numbersAreConverted(old: String, new: String, value: Int) throws {
        let fixture = try MigrationFixture(
            "<entity name=\"A\"><attribute name=\"n\" optional=\"YES\" attributeType=\"\(old)\"/></entity>")
        try fixture.fill { context throws in _ = context.make("A", ["n": value]) }
        try fixture.migrate(
            to: "<entity name=\"A\"><attribute name=\"n\" optional=\"YES\" attributeType=\"\(new)\"/></entity>"
        ) { context throws in
            #expect(try context.all("A").map { $0.value(forKey: "n") as? Int } == [value])
        }
    }

    @Test func valueThatDoesNotFitStopsTheMigration() throws {
        let fixture = try MigrationFixture(
            "<entity name=\"A\"><attribute name=\"n\" optional=\"YES\" attributeType=\"Integer 32\"/></entity>")
        try fixture.fill { context throws in _ = context.make("A", ["n": 40000]) }
        let error = try fixture.failure(
            "<entity name=\"A\"><attribute name=\"n\" optional=\"YES\" attributeType=\"Integer 16\"/></entity>")
        #expect(error.code == 134110)
        #expect(error.localizedDescription.contains("1 value of “A.n”"))
        #expect(error.userInfo["entity"] as? String == "A" && error.userInfo["property"] as? String == "n")
    }

    @Test func externalStorageCanBeSwitchedOnAndOff() throws {
        func binary(_ isExternal: Bool) -> String {
            let flag = isExternal ? " allowsExternalBinaryDataStorage=\"YES\"" : ""
            return """
                <entity name="A"><attribute name="b" optional="YES" attributeType="Binary"\(flag)/>\
                <attribute name="s" optional="YES" attributeType="String"/></entity>
                """
        }
        let (small, large) = (Data([0, 1, 2, 0]), Data(repeating: 7, count: 200_000))
        let fixture = try MigrationFixture(binary(false))
        try fixture.fill { context throws in
            _ = context.make("A", ["b": small, "s": "1"])
            _ = context.make("A", ["b": large, "s": "2"])
            _ = context.make("A", ["s": "3"])
        }
        func check(_ context: NSManagedObjectContext) throws {
            #expect(try context.all("A", by: "s").map { $0.value(forKey: "b") as? Data } == [small, large, nil])
        }
        try fixture.migrate(to: binary(true)) { try check($0) }
        #expect(try fixture.store.files().filter { $0.contains("_EXTERNAL_DATA/") }.count == 1)
        try fixture.migrate(to: binary(false)) { try check($0) }
        #expect(try fixture.store.files().filter { $0.contains("_EXTERNAL_DATA/") }.isEmpty)
        #expect(try fixture.rows("SELECT length(ZB) FROM ZA ORDER BY ZS") == [["4"], ["200000"], [nil]])
    }

    @Test func filesOfRemovedExternalAttributesAreDeleted() throws {
        let fixture = try MigrationFixture(
            """
            <entity name="A"><attribute name="b" optional="YES" attributeType="Binary" \
            allowsExternalBinaryDataStorage="YES"/></entity><entity name="B"/>
            """)
        try fixture.fill { context throws in _ = context.make("A", ["b": Data(repeating: 1, count: 200_000)]) }
        try fixture.migrate(to: "<entity name=\"B\"/>") { _ in }
        #expect(try fixture.store.files().filter { $0.contains("_EXTERNAL_DATA/") }.isEmpty)
    }

    @Test func transientAttributeCanBecomeStoredAndTransientAgain() throws {
        func entity(_ flags: String) -> String {
            "<entity name=\"A\"><attribute name=\"t\" attributeType=\"String\" defaultValueString=\"x\" \(flags)/></entity>"
        }
        let fixture = try MigrationFixture(entity("transient=\"YES\""))
        try fixture.fill { context throws in _ = context.make("A", ["t": "y"]) }
        try fixture.migrate(to: entity("")) { context throws in
            #expect(try context.all("A").map { $0.value(forKey: "t") as? String } == ["x"])
        }
        try fixture.migrate(to: entity("transient=\"YES\"")) { context throws in
            #expect(try context.all("A").count == 1)
        }
        #expect(try fixture.rows("SELECT name FROM pragma_table_info('ZA')").count == 3)
    }

    @Test func derivedAttributesAreComputed() throws {
        func model(_ derived: String) -> String {
            """
            <entity name="Author"><attribute name="name" optional="YES" attributeType="String"/>\(derived)\
            <relationship name="books" optional="YES" toMany="YES" destinationEntity="Book" inverseName="author" \
            inverseEntity="Book"/></entity>
            <entity name="Book"><relationship name="author" optional="YES" maxCount="1" destinationEntity="Author" \
            inverseName="books" inverseEntity="Author"/></entity>
            """
        }
        let fixture = try MigrationFixture(model(""))
        try fixture.fill { context throws in
            let author = context.make("Author", ["name": "Ä B"])
            _ = context.make("Book", ["author": author])
            _ = context.make("Book", ["author": author])
            _ = context.make("Author", ["name": "C"])
        }
        try fixture.migrate(
            to: model(
                """
                <attribute name="bookCount" optional="YES" attributeType="Integer 64" derived="YES" \
                derivationExpression="books.@count"/><attribute name="key" optional="YES" attributeType="String" derived="YES" \
                derivationExpression="canonical:(name)"/>
                """)
        ) { context throws in
            let authors = try context.all("Author", by: "name")
            #expect(Set(authors.map { $0.value(forKey: "bookCount") as? Int }) == [2, 0])
            #expect(Set(authors.map { $0.value(forKey: "key") as? String }) == ["a b", "c"])
        }
    }

    @Test(arguments: [
        "<attribute name=\"name\" attributeType=\"String\" defaultValueString=\"None\"/>",
        "<attribute name=\"name\" optional=\"YES\" attributeType=\"String\" elementID=\"title\"/>",
    ]) func derivedAttributesFollowTheirSources(_ name: String) throws {
        func model(_ name: String) -> String {
            "<entity name=\"Author\">\(name)<attribute name=\"key\" optional=\"YES\" attributeType=\"String\" "
                + "derived=\"YES\" derivationExpression=\"canonical:(name)\"/></entity>"
        }
        let fixture = try MigrationFixture(
            model(
                "<attribute name=\"name\" optional=\"YES\" attributeType=\"String\"/>"
                    + "<attribute name=\"title\" optional=\"YES\" attributeType=\"String\"/>"))
        try fixture.fill { _ = $0.make("Author", ["title": "Ä"]) }
        try fixture.migrate(to: model(name)) { context throws in
            let author = try #require(context.all("Author").first)
            let expected = (author.value(forKey: "name") as? String)?.lowercased().replacing("ä", with: "a")
            #expect(["none", "a"].contains(expected))
            #expect(author.value(forKey: "key") as? String == expected)
        }
    }
}
