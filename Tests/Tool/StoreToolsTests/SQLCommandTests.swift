import CSQLite3
import CoreData
import Foundation
import ModelcDriver
import Testing

@testable import StoreTools

/// `modelc sql` prints the statements executed by a store.
@Suite struct SQLCommandTests {
    private static let entities = """
        <entity name="Author" representedClassName="Author" syncable="YES">
        <attribute name="name" optional="YES" attributeType="String"/>
        <relationship name="books" optional="YES" toMany="YES" ordered="YES" deletionRule="Nullify" \
        destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
        </entity>
        <entity name="Book" representedClassName="Book" syncable="YES">
        <attribute name="title" optional="YES" attributeType="String"/>
        <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" \
        destinationEntity="Author" inverseName="books" inverseEntity="Author"/>
        <fetchIndex name="byTitle"><fetchIndexElement property="title" type="Binary" order="descending"/></fetchIndex>
        </entity>
        """

    /// SQLite keeps the text of each statement.
    @Test func sqliteDialectPrintsTheStatementsOfANewStore() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(Self.entities)
        #expect(scratch.make(rows: 1) == 0)
        #expect(scratch.sql("Model.xcdatamodel", "--dialect", "sqlite") == 0)
        let printed = scratch.output.split(separator: "\n").map { String($0.dropLast()) }
        var database: OpaquePointer?
        #expect(sqlite3_open(scratch.url("a.sqlite").path, &database) == SQLITE_OK)
        defer { sqlite3_close(database) }
        var statement: OpaquePointer?
        sqlite3_prepare_v2(
            database, "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'", -1,
            &statement, nil)
        defer { sqlite3_finalize(statement) }
        var stored: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            stored.append(String(cString: sqlite3_column_text(statement, 0)))
        }
        #expect(stored.count > 5)
        #expect(Set(printed.filter { $0.hasPrefix("CREATE") }) == Set(stored))
    }

    @Test func postgreSQLIsTheDefaultDialect() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(Self.entities)
        #expect(scratch.sql("Model.xcdatamodel", "--schema", "library", "--partitions", "2") == 0)
        for part in [
            "CREATE SCHEMA IF NOT EXISTS \"library\";", "CREATE TABLE \"library\".\"Book\" (",
            "\"author_order\" bigint",
            "PARTITION OF \"library\".\"Book\" FOR VALUES WITH (MODULUS 2, REMAINDER 1);",
            "CREATE INDEX \"Book_byTitle\" ON \"library\".\"Book\" USING spgist (\"title\");",
            "FOREIGN KEY (\"author\") REFERENCES \"library\".\"Author\" (\"_pk\") DEFERRABLE INITIALLY DEFERRED;",
        ] { #expect(scratch.output.contains(part), "\(part)") }
    }

    @Test func unknownConfigurationIsAnError() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(Self.entities)
        #expect(scratch.sql("Model.xcdatamodel", "--configuration", "Cloud") == 1)
        #expect(scratch.errorOutput.contains("no configuration “Cloud”"))
        #expect(scratch.output.isEmpty)
    }

    /// The printed SQL is the SQL that a store runs, also for names with characters that are escaped on a terminal.
    @Test(arguments: ["sqlite", "postgresql"])
    func namesArePrintedAsTheyAre(dialect: String) throws {
        let scratch = try StoreScratch()
        try scratch.writeModel("<entity name=\"A\"><attribute name=\"b\u{200C}c\" attributeType=\"String\"/></entity>")
        #expect(scratch.sql("Model.xcdatamodel", "--dialect", dialect) == 0)
        let name = dialect == "sqlite" ? "ZB\u{200C}C" : "b\u{200C}c"
        // By scalars: the character is part of the letter before it.
        #expect(
            Array(scratch.output.utf8).firstRange(of: Array(name.utf8)) != nil, "\(scratch.output.debugDescription)")
    }

    @Test func migrationsArePlannedWithoutAServer() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(Self.entities)
        let old = scratch.url("Old.xcdatamodel")
        try FileManager.default.copyItem(at: scratch.url("Model.xcdatamodel"), to: old)
        try scratch.writeModel(
            Self.entities.replacingOccurrences(
                of: "<attribute name=\"title\"", with: "<attribute name=\"name\" elementID=\"title\""
            ).replacingOccurrences(of: "property=\"title\"", with: "property=\"name\""))
        #expect(scratch.sql("migrate", "--from", "Old.xcdatamodel", "--to", "Model.xcdatamodel") == 0)
        for part in [
            "--   rename attribute “Book.title” to “name”\n", "BEGIN ISOLATION LEVEL READ COMMITTED;\n",
            "ALTER TABLE \"coredata\".\"Book\" RENAME COLUMN \"title\" TO \"name\";\n", "COMMIT;\n",
        ] { #expect(scratch.output.contains(part), "\(part)") }
        #expect(!scratch.output.contains("DROP COLUMN"))
    }

    @Test func migrationsThatCannotBeInferredAreFindings() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(Self.entities)
        try FileManager.default.copyItem(at: scratch.url("Model.xcdatamodel"), to: scratch.url("Old.xcdatamodel"))
        try scratch.writeModel(
            Self.entities.replacingOccurrences(
                of: "name=\"title\" optional=\"YES\" attributeType=\"String\"",
                with: "name=\"title\" optional=\"YES\" attributeType=\"Date\""))
        #expect(scratch.sql("migrate", "--from", "Old.xcdatamodel", "--to", "Model.xcdatamodel") == 1)
        #expect(scratch.errorOutput.contains("“Book.title”"), "\(scratch.errorOutput)")
        #expect(scratch.output.isEmpty)
    }

    /// modelc-store has no client for PostgreSQL.
    @Test func databasesNeedTheOtherProgram() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(Self.entities)
        // The tests are one program, which has the client if any test of it does.
        let result = try ToolProcess.run(
            "modelc-store", ["sql", "status", "Model.xcdatamodel", "--database", "postgresql:///none"],
            in: scratch.folder)
        #expect(result.code == 1)
        #expect(result.errorOutput.contains("no client library for PostgreSQL"))
        #expect(scratch.sql("status", "Model.xcdatamodel", "--database", "none") == 1)
        #expect(scratch.errorOutput.contains("the database is not named by a URL"))
        let hosts = "postgresql://user@first:1,second:2/none"
        #expect(scratch.sql("status", "Model.xcdatamodel", "--database", hosts) == 1)
        #expect(scratch.errorOutput.contains("host=first,second&port="))
    }

    /// “modelc help sql” and “modelc sql --help” are pages of two programs.
    @Test func bothHelpPagesHaveTheSameExamples() {
        func examples(_ page: String) -> Substring? { page.range(of: "EXAMPLES").map { page[$0.upperBound...] } }
        let page = examples(ModelSQLCommand.configuration.discussion)
        #expect(page == examples(SQLCommand<NoDatabaseClient>.configuration.discussion))
        #expect(page?.contains("--distribute") == true && page?.contains("--online") == true)
    }

    @Test func modelcRunsTheCommand() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(Self.entities)
        let direct = try ToolProcess.run("modelc-store", ["sql", "Model.xcdatamodel"], in: scratch.folder)
        let result = try ToolProcess.run("modelc", ["sql", "Model.xcdatamodel"], in: scratch.folder)
        #expect(result.code == 0)
        #expect(result.output == direct.output)
        #expect(result.output.hasPrefix("CREATE SCHEMA"))
    }
}
