import CoreData
import Diagnostics
import Foundation
import ModelcDriver
import Testing

@testable import StoreTools

/// `modelc store check` and `repair` on rows whose numbers, keys and pairs contradict each other.
@Suite struct StoreRepairRowTests {
    /// Items of two kinds, reviews of them, and authors with passports.
    private static let entities = """
        <entity name="Author" syncable="YES">
            <relationship name="passport" optional="YES" maxCount="1" deletionRule="Nullify" \
        destinationEntity="Passport" inverseName="owner" inverseEntity="Passport"/>
        </entity>
        <entity name="Book" parentEntity="Item" syncable="YES"/>
        <entity name="Item" syncable="YES">
            <attribute name="title" optional="YES" attributeType="String"/>
            <relationship name="reviews" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Review" \
        inverseName="item" inverseEntity="Review"/>
        </entity>
        <entity name="Passport" syncable="YES">
            <relationship name="owner" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" \
        inverseName="passport" inverseEntity="Author"/>
        </entity>
        <entity name="Review" syncable="YES">
            <relationship name="item" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Item" \
        inverseName="reviews" inverseEntity="Item"/>
        </entity>
        <entity name="Tag" syncable="YES">
            <attribute name="name" optional="YES" attributeType="String"/>
        </entity>
        """

    /// Returns a store with a history, in which each author has the passport of the same number.
    private func store(rows: Int = 40) throws -> StoreScratch {
        let scratch = try StoreScratch()
        try scratch.writeModel(Self.entities)
        #expect(scratch.make(rows: rows) == 0)
        let model = try StoreDoctorTests.runtimeModel(try #require(try scratch.model()))
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: scratch.url("a.sqlite"),
            options: [NSPersistentHistoryTrackingKey: true])
        try coordinator.remove(store)
        try scratch.execute(
            "UPDATE ZAUTHOR SET ZPASSPORT = Z_PK; UPDATE ZPASSPORT SET ZOWNER = Z_PK; UPDATE ZREVIEW SET ZITEM = NULL, "
                + "\(try entityColumn(scratch)) = NULL", in: "a.sqlite")
        #expect(scratch.check("a.sqlite", "--notes") == 0, "\(scratch.output)")
        return scratch
    }

    /// The column with the entity of a review's item.
    private func entityColumn(_ scratch: StoreScratch) throws -> String {
        let names = "SELECT name FROM pragma_table_info('ZREVIEW') WHERE name GLOB 'Z[0-9]*_ITEM'"
        return try #require(try texts(scratch, names).first)
    }

    private func texts(_ scratch: StoreScratch, _ sql: String, in name: String = "a.sqlite") throws -> [String] {
        try SeedDatabase(scratch.url(name).path).texts(sql)
    }

    private static let number = "(SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag')"

    // MARK: Entity numbers

    /// The entity of a row is unknown if its number belongs to another table.
    @Test func aRowWithTheNumberOfAnotherTableIsNotTakenForAnObject() throws {
        let scratch = try store()
        try scratch.execute(
            "UPDATE ZITEM SET Z_ENT = \(Self.number) WHERE Z_PK = 3; UPDATE ZITEM SET Z_ENT = 99 WHERE Z_PK = 5",
            in: "a.sqlite")
        #expect(scratch.check("a.sqlite", "--reporter", "json") == 1)
        #expect(scratch.output.contains("/Item/p3\""), "\(scratch.output)")
        #expect(!scratch.output.contains("/Tag/p3"), "\(scratch.output)")
        let arguments = ["a.sqlite", "--output", "b.sqlite", "--unsafe-fixes"]
        #expect(scratch.repair(arguments) == 0, "\(scratch.errorOutput)")
        #expect(scratch.output == "- ZITEM/3 [unknown-entity]\n- ZITEM/5 [unknown-entity]\n", "\(scratch.output)")
        #expect(try texts(scratch, "SELECT ZENTITYPK FROM ACHANGE", in: "b.sqlite").isEmpty)
        #expect(scratch.check("b.sqlite", "--notes") == 0, "\(scratch.output)")
    }

    @Test func changesOfARowWithTheNumberOfAnotherTableAreNotInTheHistory() throws {
        let scratch = try store()
        try scratch.execute(
            "UPDATE ZREVIEW SET ZITEM = 999 WHERE Z_PK < 3; UPDATE ZREVIEW SET Z_ENT = \(Self.number) WHERE Z_PK = 1",
            in: "a.sqlite")
        let arguments = ["a.sqlite", "--output", "b.sqlite", "--only", "dangling-reference"]
        #expect(scratch.repair(arguments) == 1, "\(scratch.errorOutput)")
        #expect(scratch.output.contains("~ ZREVIEW/1 ZITEM: 999 → nil"), "\(scratch.output)")
        #expect(scratch.output.contains("~ Review/2 item: 999 → nil"), "\(scratch.output)")
        let names = "SELECT Z_NAME || '/' || ZENTITYPK FROM ACHANGE JOIN Z_PRIMARYKEY p ON p.Z_ENT = ZENTITY"
        #expect(try texts(scratch, names, in: "b.sqlite") == ["Review/2"])
    }

    /// The entity of a reference is not taken from a row whose own number is wrong.
    @Test func aWrongNumberIsNotCopiedToReferences() throws {
        let scratch = try store()
        let column = try entityColumn(scratch)
        try scratch.execute(
            "UPDATE ZREVIEW SET ZITEM = Z_PK, \(column) = (SELECT Z_ENT FROM ZITEM i WHERE i.Z_PK = ZREVIEW.Z_PK) "
                + "WHERE Z_PK < 5; UPDATE ZITEM SET Z_ENT = 99 WHERE Z_PK = 1; UPDATE ZITEM SET Z_ENT = \(Self.number) "
                + "WHERE Z_PK = 2; UPDATE ZREVIEW SET \(column) = 77 WHERE Z_PK = 3", in: "a.sqlite")
        #expect(scratch.check("a.sqlite", "--only", "entity-column") == 1)
        #expect(scratch.output.contains("1 object of “Review” names the wrong entity"), "\(scratch.output)")
        let numbers = "SELECT \(column) FROM ZREVIEW WHERE Z_PK IN (1, 2) ORDER BY Z_PK"
        let before = try texts(scratch, numbers)
        #expect(scratch.repair("a.sqlite", "--output", "b.sqlite") == 1, "\(scratch.errorOutput)")
        #expect(try texts(scratch, numbers, in: "b.sqlite") == before)
        #expect(scratch.output.split(separator: "\n").count == 1, "\(scratch.output)")
    }

    // MARK: Pairs

    /// A reference that becomes nil turns a conflict of one side into a missing side of the other.
    @Test func aDanglingSideOfAPairBlocksNoOtherRepair() throws {
        let scratch = try store()
        try scratch.execute(
            "UPDATE ZAUTHOR SET ZPASSPORT = 999 WHERE Z_PK = 3; UPDATE ZAUTHOR SET ZPASSPORT = 3 WHERE Z_PK = 4; "
                + "UPDATE ZTAG SET Z_OPT = NULL WHERE Z_PK = 1", in: "a.sqlite")
        #expect(scratch.repair("a.sqlite", "--output", "b.sqlite") == 1, "\(scratch.errorOutput)")
        #expect(scratch.output.contains("~ Author/3 passport: 999 → nil"), "\(scratch.output)")
        #expect(scratch.output.contains("~ Tag/1 Z_OPT: nil → 1"), "\(scratch.output)")
    }

    // MARK: Keys

    @Test func aLastKeyThatIsNoIntegerIsReplaced() throws {
        let scratch = try store()
        try scratch.execute(
            """
            INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (7, 16002, 1); \
            UPDATE Z_PRIMARYKEY SET Z_MAX = 'x' WHERE Z_NAME IN ('Tag', 'Item', 'TRANSACTION'); \
            UPDATE Z_PRIMARYKEY SET Z_MAX = 0.5 WHERE Z_NAME = 'Author'; \
            UPDATE Z_PRIMARYKEY SET Z_MAX = 5000 WHERE Z_NAME = 'Passport'
            """, in: "a.sqlite")
        #expect(scratch.check("a.sqlite") == 1)
        #expect(
            scratch.output.contains("the last key of “Tag” is not an integer, but 40 is in use"), "\(scratch.output)")
        #expect(scratch.repair("a.sqlite", "--output", "b.sqlite") == 0, "\(scratch.errorOutput)")
        let maxima =
            "SELECT Z_NAME || ' ' || Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME NOT IN ('Review', 'CHANGE', "
            + "'TRANSACTIONSTRING', 'Book') ORDER BY Z_ENT"
        #expect(
            try texts(scratch, maxima, in: "b.sqlite") == [
                "Author 40", "Item 80", "Passport 5000", "Tag 40", "TRANSACTION 7",
            ])
        #expect(scratch.check("b.sqlite", "--strict") == 0, "\(scratch.output)")
    }

    /// No import accepts such keys, so an export says that it has them.
    @Test(arguments: ["jsonl", "csv", "sqlite"]) func keysThatCannotBeImportedAreReported(format: String) throws {
        let scratch = try store()
        try scratch.execute(
            "UPDATE ZTAG SET Z_PK = 0 WHERE Z_PK = 1; UPDATE ZTAG SET Z_PK = \(Int64.max) WHERE Z_PK = 2; "
                + "UPDATE ZAUTHOR SET Z_PK = -1 WHERE Z_PK = 40", in: "a.sqlite")
        #expect(scratch.export("a.sqlite", "--format", format, "--output", "out") == 1)
        #expect(
            scratch.errorOutput.contains("modelc: a.sqlite: 1 row in the table of “Author” has a key that"),
            "\(scratch.errorOutput)")
        #expect(
            scratch.errorOutput.contains("modelc: a.sqlite: 2 rows in the table of “Tag” have keys that"),
            "\(scratch.errorOutput)")
        if format == "jsonl" { #expect(scratch.importStore("out", "--output", "c.sqlite") == 2) }
    }

    // MARK: Indexes

    /// A table with several concrete entities has an index of their numbers.
    @Test func theIndexOfEntityNumbersIsRestored() throws {
        let scratch = try store()
        let list = "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name IN ('ZITEM', 'ZTAG') ORDER BY 1"
        let indexes = try texts(scratch, list)
        #expect(indexes.contains("ZITEM_Z_ENT_INDEX"), "\(indexes)")
        try scratch.execute("DROP INDEX ZITEM_Z_ENT_INDEX", in: "a.sqlite")
        #expect(scratch.check("a.sqlite", "--strict") == 1)
        #expect(scratch.output.contains("ZITEM has no index on Z_ENT"), "\(scratch.output)")
        #expect(scratch.repair("a.sqlite", "--output", "b.sqlite") == 0, "\(scratch.errorOutput)")
        #expect(try texts(scratch, list, in: "b.sqlite") == indexes)
    }
}
