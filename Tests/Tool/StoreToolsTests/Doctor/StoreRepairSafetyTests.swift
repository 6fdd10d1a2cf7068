import CSQLite3
import CoreData
import Diagnostics
import Foundation
import ModelcDriver
import TestSupport
import Testing

@testable import StoreDoctor
@testable import StoreTools

/// `modelc store repair` never loses more than what its repairs say, and leaves no consequence of a repair.
@Suite struct StoreRepairSafetyTests {
    static let history = """
        CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, \
        ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER);
        CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTIMESTAMP FLOAT);
        CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
        INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 20), (16002, 'TRANSACTION', 0, 1), \
        (16003, 'TRANSACTIONSTRING', 0, 0);
        INSERT INTO ATRANSACTION VALUES (1, 16002, NULL, 1);
        """

    // MARK: Deletions

    @Test func aNewColumnDeletesNoObjects() throws {
        let scratch = try StoreScratch.people()
        try scratch.execute(
            "DROP INDEX IF EXISTS ZPERSON_ZDEPARTMENT_INDEX; ALTER TABLE ZPERSON DROP COLUMN ZDEPARTMENT",
            in: "a.sqlite")
        #expect(scratch.repair("a.sqlite", "--output", "b.sqlite", "--unsafe-fixes") == 1, "\(scratch.errorOutput)")
        #expect(try scratch.count("ZPERSON") == 40)
        #expect(scratch.errorOutput.contains("left: "), "\(scratch.errorOutput)")
    }

    @Test func aNewTableDeletesNoObjects() throws {
        let scratch = try StoreScratch.people()
        try scratch.execute("DROP TABLE ZDEPARTMENT", in: "a.sqlite")
        #expect(scratch.repair("a.sqlite", "--output", "b.sqlite", "--unsafe-fixes") == 1, "\(scratch.errorOutput)")
        #expect(try scratch.count("ZPERSON") == 40)
        #expect(try scratch.count("ZDEPARTMENT") == 0)
    }

    @Test func anUnknownNumberDeletesNoObjectsAndNoHistory() throws {
        let scratch = try StoreScratch.people()
        try scratch.execute(
            Self.history + """
                INSERT INTO ACHANGE SELECT Z_PK, 16001, NULL, 0, Z_ENT, Z_PK, 1 FROM ZTAG LIMIT 20; \
                DELETE FROM Z_PRIMARYKEY WHERE Z_NAME IN ('Tag', 'Person')
                """, in: "a.sqlite")
        for rules in [
            [], ["--except", "entity-row-missing"], ["--only", "history-entity"], ["--only", "unknown-entity"],
        ] {
            let arguments = ["a.sqlite", "--output", "b.sqlite", "--force", "--unsafe-fixes"] + rules
            let code = scratch.repair(arguments)
            #expect(code == 0 || code == 1, "\(scratch.errorOutput)")
            #expect(try scratch.count("ZTAG") == 40)
            #expect(try scratch.count("ZPERSON") == 40)
            #expect(try scratch.count("ACHANGE") == 20)
        }
    }

    /// A chain of objects that each require the one before goes as a whole if its first has no destination.
    @Test(arguments: [[], ["--only", "dangling-reference"], ["--only", "required-reference-missing"]])
    func consequencesOfDeletionsAreRepaired(rules: [String]) throws {
        let scratch = try StoreScratch.people()
        try scratch.execute(
            """
            UPDATE ZPERSON SET ZMANAGER = Z_PK - 1 WHERE Z_PK BETWEEN 2 AND 31; \
            UPDATE ZPERSON SET ZMANAGER = 9999, ZDEPARTMENT = NULL WHERE Z_PK = 1
            """, in: "a.sqlite")
        let arguments = ["a.sqlite", "--output", "b.sqlite", "--unsafe-fixes"] + rules
        #expect(scratch.repair(arguments) == 0, "\(scratch.errorOutput)")
        #expect(try scratch.count("ZPERSON") == 9)
        #expect(scratch.check("b.sqlite", "--strict") == 0, "\(scratch.output)")
        #expect(scratch.output.isEmpty || !scratch.output.contains("pair"))
        let deletions = try #require(scratch.repair(arguments + ["--force"]) == 0 ? scratch.output : nil)
        #expect(deletions.split(separator: "\n").filter { $0.hasPrefix("- Person/") }.count == 31, "\(deletions)")
    }

    // MARK: Rejected statements

    @Test func anIndexWithATakenNameGetsAnother() throws {
        let scratch = try StoreScratch.people()
        let original = try SeedDatabase(scratch.url("a.sqlite").path)
        let index = try #require(
            try original.texts("SELECT name FROM sqlite_master WHERE type = 'index' AND sql LIKE '%(%ZDEPARTMENT%)%'")
                .first)
        try scratch.execute(
            "DROP INDEX \(index); CREATE INDEX \(index) ON ZPERSON (Z_OPT); UPDATE ZPERSON SET Z_OPT = NULL WHERE Z_PK = 1",
            in: "a.sqlite")
        #expect(scratch.repair("a.sqlite", "--output", "b.sqlite") == 0, "\(scratch.errorOutput)")
        #expect(scratch.check("b.sqlite", "--strict") == 0, "\(scratch.output)")
        #expect(try SeedDatabase(scratch.url("b.sqlite").path).integer("SELECT Z_OPT FROM ZPERSON WHERE Z_PK = 1") == 1)
    }

    @Test func aRejectedStatementLeavesItsFindingOnly() throws {
        let scratch = try StoreScratch.people()
        // The trigger calls a function that SQLite does not have.
        try scratch.execute(
            """
            UPDATE ZPERSON SET Z_OPT = NULL WHERE Z_PK = 1; UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_NAME = 'Person'; \
            CREATE TRIGGER app AFTER UPDATE OF Z_OPT ON ZPERSON BEGIN SELECT unknown_function(1); END
            """, in: "a.sqlite")
        #expect(scratch.repair("a.sqlite", "--output", "b.sqlite") == 1, "\(scratch.errorOutput)")
        #expect(scratch.output.contains("Z_MAX"), "\(scratch.output)")
        #expect(scratch.errorOutput.contains("[version-invalid]"), "\(scratch.errorOutput)")
    }

    // MARK: History

    @Test func mirroredHistoryAndKeysOfDeletedObjectsStay() throws {
        let scratch = try StoreScratch.people()
        try scratch.execute(
            Self.history + """
                INSERT INTO ACHANGE SELECT 1, 16001, NULL, 2, Z_ENT, 5000, 1 FROM ZTAG LIMIT 1; \
                INSERT INTO ACHANGE SELECT 2, 16001, NULL, 0, Z_ENT, 1, 77 FROM ZTAG LIMIT 1; \
                INSERT INTO ACHANGE VALUES (3, 16001, NULL, 0, 99, 1, 1); \
                CREATE TABLE ANSCKRECORDMETADATA (Z_PK INTEGER PRIMARY KEY); \
                DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'
                """, in: "a.sqlite")
        #expect(scratch.repair("a.sqlite", "--output", "b.sqlite") == 1, "\(scratch.errorOutput)")
        #expect(try scratch.count("ACHANGE") == 3)
        #expect(scratch.errorOutput.contains("CloudKit mirrors the store"))
        #expect(
            try SeedDatabase(scratch.url("b.sqlite").path).integer(
                "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'") == 5000)
        _ = scratch.repair("a.sqlite", "--output", "b.sqlite", "--force", "--mirrored")
        #expect(try scratch.count("ACHANGE") == 1)
    }

    // MARK: Values

    @Test func jsonHasWholeTypedValues() throws {
        let scratch = try StoreScratch.people()
        let text = String(repeating: "long ", count: 100)
        try scratch.execute("UPDATE ZPERSON SET Z_OPT = '\(text)' WHERE Z_PK = 1", in: "a.sqlite")
        #expect(scratch.repair("a.sqlite", "--dry-run", "--format", "json") == 0, "\(scratch.errorOutput)")
        let root = try JSONSerialization.jsonObject(with: Data(scratch.output.utf8)) as? [String: Any]
        let change = try #require((root?["changes"] as? [[String: Any]])?.first)
        #expect(change["old"] as? String == text)
        #expect(change["new"] as? Int == 1)
    }

    /// A name in lower case is a reference, too: its file is copied, and is no orphan.
    @Test func externalNamesCanBeInLowerCase() throws {
        let scratch = try StoreScratch.people()
        let name = UUID().uuidString.lowercased()
        try scratch.write(Data("photo".utf8), to: ".a_SUPPORT/_EXTERNAL_DATA/\(name)")
        try scratch.execute(
            "UPDATE ZPERSON SET ZPHOTO = CAST(x'02' || '\(name)' || x'00' AS BLOB) WHERE Z_PK = 1", in: "a.sqlite")
        #expect(scratch.repair("a.sqlite", "--output", "b.sqlite") == 0, "\(scratch.errorOutput)")
        #expect(try scratch.files()[".b_SUPPORT/_EXTERNAL_DATA/\(name)"] == Data("photo".utf8))
    }

    /// A comparison shows what a repair announces, also of objects that do not exist.
    @Test func removedJoinRowsAreDifferences() throws {
        let scratch = try StoreScratch.people()
        try scratch.execute("DELETE FROM Z_2TAGS; INSERT INTO Z_2TAGS VALUES (1, 2)", in: "a.sqlite")
        let database = try SeedDatabase(scratch.url("a.sqlite").path)
        let columns = try database.texts("SELECT name FROM pragma_table_info('Z_2TAGS')")
        let people = try #require(columns.first { $0.hasSuffix("PEOPLE") })
        let tags = try #require(columns.first { $0.hasSuffix("TAGS") })
        try database.execute("INSERT INTO Z_2TAGS (\(people), \(tags)) VALUES (1, 9999), (8888, 3), (8888, 9999)")
        #expect(scratch.diff("a.sqlite", "a.sqlite") == 0, "\(scratch.output)")
        #expect(scratch.repair("a.sqlite", "--output", "b.sqlite", "--only", "join-dangling") == 0)
        #expect(scratch.diff("a.sqlite", "b.sqlite") == 1)
        #expect(
            scratch.output.hasPrefix(
                """
                Person
                  ~ Person/1
                      tags: {Tag/9999} → {}
                  ~ Person/8888
                      tags: {Tag/3, Tag/9999} → {}
                0 removed, 0 added, 2 changed
                """), "\(scratch.output)")
        #expect(scratch.diff("b.sqlite", "a.sqlite") == 1)
        #expect(scratch.output.contains("tags: {} → {Tag/3, Tag/9999}"), "\(scratch.output)")
    }

    /// The positions of many members are found in one pass over them.
    @Test func missingPositionsNeedNoQueryPerMember() throws {
        let scratch = try StoreScratch()
        try scratch.execute(
            "CREATE TABLE m (o, p); INSERT INTO m VALUES (1, 4096), (1, NULL), (2, NULL), (1, NULL)", in: "m.sqlite",
            creates: true)
        let query = StoreExamination.appendedPositions(table: "\"m\"", key: "o", order: "p", scope: "")
        let database = try SeedDatabase(scratch.url("m.sqlite").path)
        #expect(
            try database.texts("SELECT r || ':' || v FROM (\(query)) ORDER BY r") == ["2:5120", "3:2048", "4:6144"])
        var plan: [String] = []
        try DoctorDatabase(changing: scratch.url("m.sqlite").path).forEach("EXPLAIN QUERY PLAN \(query)") {
            plan.append($0.text(3))
        }
        #expect(!plan.isEmpty && !plan.contains { $0.contains("CORRELATED") }, "\(plan)")
    }

    // MARK: Effort

    /// A store without faults is examined once, and any other again only after changes.
    @Test func examinationsAreFew() throws {
        let scratch = try StoreScratch.people()
        func examinations() throws -> Int {
            var count = 0
            var repairer = StoreRepairer(
                path: scratch.url("a.sqlite").path, original: scratch.url("a.sqlite").path, model: nil,
                options: StoreRepairer.Options())
            repairer.willExamine = { count += 1 }
            _ = try repairer.run { _ in }
            return count
        }
        #expect(try examinations() == 1)
        try scratch.execute("UPDATE ZPERSON SET Z_OPT = NULL WHERE Z_PK = 1", in: "a.sqlite")
        // At the beginning, after the repair, what it has revealed, and at the end.
        #expect(try examinations() == 4)
        #expect(try examinations() == 1)
    }
}
