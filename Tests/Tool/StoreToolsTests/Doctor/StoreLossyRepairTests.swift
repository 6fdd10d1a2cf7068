import CoreData
import Foundation
import StoreFile
import TestSupport
import Testing

@testable import StoreDoctor
@testable import StoreTools

/// Repairs that are only made on request: of uniqueness constraints, of metadata, and of objects without an owner.
@Suite struct StoreLossyRepairTests {
    // MARK: Uniqueness constraints

    private static let tags = """
        <entity name="Tag" syncable="YES">
            <attribute name="name" optional="YES" attributeType="String"/>
            <relationship name="people" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Person" \
        inverseName="tags" inverseEntity="Person"/>
            <relationship name="fans" optional="YES" toMany="YES" ordered="YES" deletionRule="Nullify" \
        destinationEntity="Person" inverseName="favorite" inverseEntity="Person"/>
            <relationship name="icon" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Icon" \
        inverseName="tag" inverseEntity="Tag"/>
            <relationship name="parent" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Tag" \
        inverseName="children" inverseEntity="Tag"/>
            <relationship name="children" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Tag" \
        inverseName="parent" inverseEntity="Tag"/>
            <relationship name="notes" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Note"/>
            <uniquenessConstraints><uniquenessConstraint><constraint value="name"/></uniquenessConstraint></uniquenessConstraints>
        </entity>
        <entity name="Person" syncable="YES">
            <relationship name="tags" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Tag" \
        inverseName="people" inverseEntity="Tag"/>
            <relationship name="favorite" maxCount="1" deletionRule="Nullify" destinationEntity="Tag" \
        inverseName="fans" inverseEntity="Tag"/>
        </entity>
        <entity name="Icon" syncable="YES">
            <relationship name="tag" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Tag" \
        inverseName="icon" inverseEntity="Tag"/>
        </entity>
        <entity name="Note" syncable="YES">
            <attribute name="text" optional="YES" attributeType="String"/>
        </entity>
        """

    /// Returns a store in which tag 1 and tag 3 have the same name, as do tag 2, 4 and 5.
    private func store() throws -> StoreScratch {
        let scratch = try StoreScratch()
        try scratch.writeModel(Self.tags)
        #expect(scratch.make(rows: 8) == 0)
        let database = try SeedDatabase(scratch.url("a.sqlite").path)
        let indexes = try database.texts("SELECT name FROM pragma_index_list('ZTAG') WHERE \"unique\" = 1")
        for index in indexes { try database.execute("DROP INDEX \"\(index)\"") }
        try database.execute(
            "UPDATE ZTAG SET ZNAME = CASE WHEN Z_PK IN (1, 3) THEN 'a' WHEN Z_PK IN (2, 4, 5) THEN 'b' "
                + "WHEN Z_PK = 6 THEN NULL ELSE Z_PK END")
        return scratch
    }

    /// Returns the rows of a query, through a connection that is then closed.
    private func texts(_ scratch: StoreScratch, _ sql: String) throws -> [String] {
        try SeedDatabase(scratch.url("a.sqlite").path).texts(sql)
    }

    @Test(arguments: [("newest", ["3", "5", "6", "7", "8"]), ("oldest", ["1", "2", "6", "7", "8"])])
    func oneObjectOfEachValueStays(keep: String, expected: [String]) throws {
        let scratch = try store()
        let before = try SeedDatabase(scratch.url("a.sqlite").path)
        let join = try #require(
            try before.texts(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%Z_%TAGS%' AND name LIKE 'Z\\_%' ESCAPE '\\' AND name NOT IN ('Z_METADATA', 'Z_MODELCACHE', 'Z_PRIMARYKEY')"
            ).first)
        let columns = try before.texts("SELECT name FROM pragma_table_info('\(join)')")
        let tag = try #require(columns.first { $0.hasSuffix("TAGS") })
        let person = try #require(columns.first { $0 != tag })
        func pairs(_ database: SeedDatabase, _ name: String) throws -> [String] {
            try database.texts("SELECT DISTINCT \(person) || ' ' || \(name) FROM \(join) ORDER BY 1")
        }
        func kept(_ key: String) -> String {
            keep == "newest"
                ? "CASE \(key) WHEN 1 THEN 3 WHEN 2 THEN 5 WHEN 4 THEN 5 ELSE \(key) END"
                : "CASE \(key) WHEN 3 THEN 1 WHEN 4 THEN 2 WHEN 5 THEN 2 ELSE \(key) END"
        }
        let expectedPairs = try pairs(before, kept(tag))
        let favorites = try before.texts("SELECT Z_PK || ' ' || \(kept("ZFAVORITE")) FROM ZPERSON ORDER BY Z_PK")
        #expect(scratch.check("a.sqlite") == 1)
        #expect(scratch.output.contains("[unique-violated]"), "\(scratch.output)")
        #expect(scratch.repair("a.sqlite", "--output", "b.sqlite") == 1)
        #expect(scratch.errorOutput.contains("--unsafe-fixes repairs 1 more"), "\(scratch.errorOutput)")
        let arguments =
            ["a.sqlite", "--output", "c.sqlite", "--unsafe-fixes"] + (keep == "newest" ? [] : ["--keep", keep])
        #expect(scratch.repair(arguments) == 0, "\(scratch.output)\(scratch.errorOutput)")
        let after = try SeedDatabase(scratch.url("c.sqlite").path)
        #expect(try after.texts("SELECT Z_PK FROM ZTAG ORDER BY Z_PK") == expected)
        // Every person is still there, with the tag that has stayed.
        #expect(try after.texts("SELECT Z_PK || ' ' || ZFAVORITE FROM ZPERSON ORDER BY Z_PK") == favorites)
        #expect(try pairs(after, tag) == expectedPairs)
        #expect(scratch.check("c.sqlite", "--notes") == 0, "\(scratch.output)")
        #expect(try after.integer("SELECT count(*) FROM pragma_index_list('ZTAG') WHERE \"unique\" = 1") == 1)
    }

    @Test func pairsAndMembersMoveToTheObjectThatStays() throws {
        let scratch = try store()
        let notes = try #require(
            try texts(
                scratch,
                "SELECT name FROM pragma_table_info('ZNOTE') WHERE name LIKE '%NOTES' AND name NOT LIKE 'Z\\_FOK%' ESCAPE '\\'"
            ).first)
        // The icons of tags 1, 2 and 4 move only where the tag that stays has none; a tag is not its own parent.
        try scratch.execute(
            """
            UPDATE ZTAG SET ZICON = NULL, ZPARENT = NULL; UPDATE ZICON SET ZTAG = NULL; \
            UPDATE ZTAG SET ZICON = Z_PK WHERE Z_PK IN (1, 3, 4); UPDATE ZICON SET ZTAG = Z_PK WHERE Z_PK IN (1, 3, 4); \
            UPDATE ZTAG SET ZPARENT = 1 WHERE Z_PK IN (3, 7); UPDATE ZNOTE SET \(notes) = 4
            """, in: "a.sqlite")
        #expect(
            scratch.repair("a.sqlite", "--in-place", "--no-backup", "--unsafe-fixes", "--only", "unique-violated") == 1,
            "\(scratch.output)\(scratch.errorOutput)")
        #expect(
            try texts(scratch, "SELECT Z_PK || ' ' || ifnull(ZICON, '-') FROM ZTAG ORDER BY Z_PK") == [
                "3 3", "5 4", "6 -", "7 -", "8 -",
            ])
        #expect(
            try texts(scratch, "SELECT Z_PK || ' ' || ZTAG FROM ZICON WHERE ZTAG NOT NULL ORDER BY Z_PK") == [
                "3 3", "4 5",
            ])
        #expect(
            try texts(
                scratch, "SELECT Z_PK || ' ' || ifnull(ZPARENT, '-') FROM ZTAG WHERE Z_PK IN (3, 7) ORDER BY Z_PK") == [
                    "3 -", "7 3",
                ])
        #expect(try texts(scratch, "SELECT DISTINCT \(notes) FROM ZNOTE") == ["5"])
        #expect(scratch.repair("a.sqlite", "--in-place", "--no-backup") == 0)
        #expect(scratch.check("a.sqlite", "--notes") == 0, "\(scratch.output)")
    }

    // MARK: Metadata

    @Test(arguments: [
        "DELETE FROM Z_METADATA", "DROP TABLE Z_METADATA", "UPDATE Z_METADATA SET Z_PLIST = NULL",
        "UPDATE Z_METADATA SET Z_PLIST = x'00'", "INSERT INTO Z_METADATA VALUES (2, 'other', x'00')",
        // The row that can be read is the second one.
        "UPDATE Z_METADATA SET Z_VERSION = 2; INSERT INTO Z_METADATA VALUES (1, 'other', x'00')",
    ])
    func lostMetadataIsReplacedByThatOfANewStore(_ sql: String) throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(Self.tags)
        #expect(scratch.make(rows: 5) == 0)
        let uuid = try SeedDatabase(scratch.url("a.sqlite").path).texts("SELECT Z_UUID FROM Z_METADATA")
        #expect(scratch.make(rows: 5, to: "good.sqlite") == 0)
        try scratch.execute(sql, in: "a.sqlite")
        #expect(scratch.repair("a.sqlite", "--dry-run") == 1, "\(scratch.output)")
        for (name, arguments) in [("b.sqlite", []), ("c.sqlite", ["--model", "Model.xcdatamodel"])] {
            #expect(
                scratch.repair(["a.sqlite", "--output", name, "--unsafe-fixes"] + arguments) == 0,
                "\(scratch.output)\(scratch.errorOutput)")
            #expect(scratch.check(name, "--notes") == 0, "\(scratch.output)")
            #expect(scratch.diff("good.sqlite", name) == 0, "\(scratch.output)")
            let database = try SeedDatabase(scratch.url(name).path)
            let row = try database.texts("SELECT Z_UUID FROM Z_METADATA WHERE Z_VERSION = 1")
            #expect(row.count == 1 && UUID(uuidString: row[0]) != nil)
            if sql.hasPrefix("UPDATE") || sql.hasPrefix("INSERT") { #expect(row == uuid) }
        }
    }

    /// The hashes of a model say which tables there are, so a model that is not the store's is not written there.
    @Test func metadataOfAnIncompleteStoreAreLeft() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(Self.tags)
        #expect(scratch.make(rows: 5) == 0)
        try scratch.execute("DELETE FROM Z_METADATA; DELETE FROM Z_MODELCACHE; DROP TABLE ZICON", in: "a.sqlite")
        #expect(scratch.repair("a.sqlite", "--dry-run", "--unsafe-fixes") == 1)
        #expect(
            scratch.repair(
                "a.sqlite", "--dry-run", "--unsafe-fixes", "--only", "metadata-missing", "--model", "Model.xcdatamodel")
                == 1)
        #expect(scratch.output.isEmpty, "\(scratch.output)")
    }

    @Test func anUnreadableCachedModelIsReplaced() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(Self.tags)
        #expect(scratch.make(rows: 5) == 0)
        try scratch.execute("UPDATE Z_MODELCACHE SET Z_CONTENT = x'0102'", in: "a.sqlite")
        // Without the model, it can only be removed.
        #expect(scratch.repair("a.sqlite", "--dry-run") == 1)
        #expect(
            scratch.repair("a.sqlite", "--output", "b.sqlite", "--model", "Model.xcdatamodel") == 0,
            "\(scratch.output)\(scratch.errorOutput)")
        #expect(scratch.check("b.sqlite", "--notes") == 0, "\(scratch.output)")
        #expect(try StoreDoctorTests.check(scratch.url("b.sqlite").path).missingModel == nil)
    }

    // MARK: Objects without an owner

    private static let clips = """
        <entity name="Item" syncable="YES">
            <attribute name="title" optional="YES" attributeType="String"/>
            <relationship name="contents" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Content" \
        inverseName="item" inverseEntity="Item"/>
        </entity>
        <entity name="Content" syncable="YES">
            <attribute name="kind" optional="YES" attributeType="String" preserveAfterDeletion="YES"/>
            <attribute name="value" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
            <relationship name="item" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Item" \
        inverseName="contents" inverseEntity="Item"/>
        </entity>
        """

    /// Returns a store with a history, in which most contents have no item.
    private func clips(rows: Int = 40) throws -> StoreScratch {
        let scratch = try StoreScratch()
        try scratch.writeModel(Self.clips)
        #expect(scratch.make(rows: rows) == 0)
        try scratch.execute(
            "UPDATE ZCONTENT SET ZITEM = CASE WHEN Z_PK <= 5 THEN 1 END, ZKIND = 'kind ' || Z_PK, ZVALUE = NULL",
            in: "a.sqlite")
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: try StoreDoctorTests.runtimeModel(try #require(try scratch.model())))
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: scratch.url("a.sqlite"),
            options: [NSPersistentHistoryTrackingKey: true])
        try coordinator.remove(store)
        return scratch
    }

    @Test(arguments: [
        ["repair", "--in-place", "--no-backup"], ["repair", "--output", "b.sqlite"], ["compact", "--in-place"],
        ["compact", "--in-place", "--rebuild"], ["compact", "--output", "b.sqlite"],
    ])
    func objectsWithoutOwnersAreDeletedOnRequest(_ command: [String]) throws {
        let scratch = try clips()
        let arguments = ["a.sqlite"] + command.dropFirst()
        func run(_ more: String...) -> Int32 {
            command[0] == "repair" ? scratch.repair(arguments + more) : scratch.compact(arguments + more)
        }
        let name = command.contains("b.sqlite") ? "b.sqlite" : "a.sqlite"
        #expect(run() == 0)
        #expect(try SeedDatabase(scratch.url(name).path).integer("SELECT count(*) FROM ZCONTENT") == 40)
        if name == "b.sqlite" { try FileManager.default.removeItem(at: scratch.url(name)) }
        #expect(run("--delete-unowned", "Content") == 0, "\(scratch.output)\(scratch.errorOutput)")
        let database = try SeedDatabase(scratch.url(name).path)
        #expect(try database.texts("SELECT Z_PK FROM ZCONTENT ORDER BY Z_PK") == ["1", "2", "3", "4", "5"])
        #expect(try database.integer("SELECT count(*) FROM ZITEM") == 40)
        #expect(
            try database.texts("SELECT ZENTITYPK || ZTOMBSTONE0 FROM ACHANGE WHERE ZCHANGETYPE = 2 ORDER BY ZENTITYPK")
                == (6...40).map { "\($0)kind \($0)" })
        #expect(scratch.check(name, "--notes") == 0, "\(scratch.output)")
        // Nothing is left to delete.
        #expect(scratch.repair(name, "--dry-run", "--delete-unowned", "Content") == 0, "\(scratch.errorOutput)")
        #expect(scratch.output.isEmpty)
    }

    @Test func objectsThatMayBeWantedAreNotDeleted() throws {
        let scratch = try clips()
        func refuses(_ entity: String, _ reason: String) throws {
            let files = try scratch.files()
            for isRepair in [true, false] {
                let code =
                    isRepair
                    ? scratch.repair("a.sqlite", "--in-place", "--no-backup", "--delete-unowned", entity)
                    : scratch.compact(["a.sqlite", "--in-place", "--delete-unowned", entity])
                #expect(code == 2)
                #expect(scratch.errorOutput.contains(reason), "\(scratch.errorOutput)")
                let after = try scratch.files()
                #expect(after["a.sqlite"] == files["a.sqlite"])
                #expect(Set(after.keys).subtracting(files.keys).allSatisfy { $0.hasPrefix("a.sqlite-") })
            }
        }
        try refuses("Item", "may be wanted")
        try refuses("None", "the model has no entity “None”")
        try scratch.execute("UPDATE ZCONTENT SET ZITEM = 1 WHERE Z_PK < 30", in: "a.sqlite")
        try refuses("Content", "may be wanted")
        try scratch.execute("UPDATE ZCONTENT SET ZITEM = NULL", in: "a.sqlite")
        try refuses("Content", "may be wanted")
        // On all devices only with --mirrored.
        try scratch.execute(
            "UPDATE ZCONTENT SET ZITEM = 1 WHERE Z_PK < 3; CREATE TABLE ANSCKRECORDMETADATA (Z_PK INTEGER PRIMARY KEY)",
            in: "a.sqlite")
        #expect(scratch.compact(["a.sqlite", "--in-place", "--delete-unowned", "Content"]) == 2)
        #expect(scratch.repair("a.sqlite", "--in-place", "--no-backup", "--delete-unowned", "Content") == 0)
        #expect(try SeedDatabase(scratch.url("a.sqlite").path).integer("SELECT count(*) FROM ZCONTENT") == 40)
        #expect(
            scratch.repair("a.sqlite", "--in-place", "--no-backup", "--mirrored", "--delete-unowned", "Content") == 0)
        #expect(try SeedDatabase(scratch.url("a.sqlite").path).integer("SELECT count(*) FROM ZCONTENT") == 2)
    }

    /// The other side of a one-to-one relationship may still refer to them.
    @Test func objectsOfHalfARelationshipAreNotDeleted() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(
            Self.clips.replacingOccurrences(
                of: "name=\"contents\" optional=\"YES\" toMany=\"YES\"",
                with: "name=\"contents\" optional=\"YES\" maxCount=\"1\""))
        #expect(scratch.make(rows: 40) == 0)
        try scratch.execute(
            "UPDATE ZCONTENT SET ZITEM = CASE WHEN Z_PK <= 5 THEN Z_PK END; UPDATE ZITEM SET ZCONTENTS = Z_PK",
            in: "a.sqlite")
        #expect(scratch.compact(["a.sqlite", "--in-place", "--delete-unowned", "Content"]) == 2)
        #expect(scratch.errorOutput.contains("may be wanted"), "\(scratch.errorOutput)")
        #expect(
            scratch.repair(
                "a.sqlite", "--in-place", "--no-backup", "--only", "unowned-row", "--delete-unowned", "Content")
                == 2)
        #expect(try SeedDatabase(scratch.url("a.sqlite").path).integer("SELECT count(*) FROM ZCONTENT") == 40)
    }

    /// The model in the store must be the one that it was written with.
    @Test func objectsAreNotDeletedByAnotherModel() throws {
        let scratch = try clips()
        let other = try StoreScratch()
        try other.writeModel(Self.clips.replacingOccurrences(of: "name=\"title\"", with: "name=\"heading\""))
        #expect(other.make(rows: 1) == 0)
        try scratch.execute(
            "ATTACH '\(other.url("a.sqlite").path)' AS o; DELETE FROM Z_MODELCACHE; "
                + "INSERT INTO Z_MODELCACHE SELECT * FROM o.Z_MODELCACHE", in: "a.sqlite")
        #expect(scratch.compact(["a.sqlite", "--in-place", "--delete-unowned", "Content"]) == 2)
        #expect(scratch.errorOutput.contains("is not the one that it was written with"), "\(scratch.errorOutput)")
        #expect(try SeedDatabase(scratch.url("a.sqlite").path).integer("SELECT count(*) FROM ZCONTENT") == 40)
    }

    /// Large values are deleted in many small steps, within the bound, and their files are set aside.
    @Test func deletionsOfObjectsNeedLittleSpace() throws {
        let scratch = try clips(rows: 60)
        let file = "0B0D7A5C-7B3F-4E1B-9C5D-0123456789AB"
        try scratch.execute(
            "UPDATE ZCONTENT SET ZVALUE = CAST(x'01' || randomblob(300000) AS BLOB) WHERE Z_PK <> 60; "
                + "UPDATE ZCONTENT SET ZVALUE = CAST(x'02' || '\(file)' || x'00' AS BLOB) WHERE Z_PK = 60; "
                + "PRAGMA wal_checkpoint(TRUNCATE)", in: "a.sqlite")
        try scratch.write(Data(count: 9), to: ".a_SUPPORT/_EXTERNAL_DATA/\(file)")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -200_000)],
            ofItemAtPath: scratch.url(".a_SUPPORT/_EXTERNAL_DATA/\(file)").path)
        let path = scratch.url("a.sqlite").path
        var options = CompactionPlan.Options()
        options.unowned = ["Content"]
        let plan = try CompactionPlan(path: path, isInPlace: true, options)
        #expect(plan.strategy == .incremental)
        #expect(plan.unowned.first?.count == 55)
        var (steps, largest) = (0, Int64(0))
        do {
            let hold = try ExclusiveStoreAccess(path)
            try StoreCompactor(plan, options) {
                steps += 1
                largest = max(largest, FileStatus.size(path + "-wal") ?? 0)
            }.compact(hold)
        }
        #expect(steps > 15)
        #expect(largest <= plan.bound && plan.bound * 5 < plan.size, "\(largest) of \(plan.bound)")
        #expect(try SeedDatabase(path).integer("SELECT count(*) FROM ZCONTENT") == 5)
        #expect(plan.orphans.names == [file])
    }
}
