import CoreData
import Diagnostics
import Foundation
import StoreDoctor
import TestSupport
import Testing

/// Faults that are more than a changed row: in the file, in files beside it, in history.
@Suite struct StoreFileFaultTests {
    private func rules(_ path: String, _ configure: (inout StoreDoctor.Options) -> Void = { _ in }) throws -> Set<
        RuleID
    > {
        Set(try StoreDoctorTests.check(path, configure).findings.map(\.rule))
    }

    private func sampleStore(rows: Int = 30) throws -> StoreScratch {
        let scratch = try StoreScratch()
        try scratch.writeModel(SampleModel.entities)
        #expect(scratch.make(rows: rows) == 0)
        return scratch
    }

    // MARK: Pages

    @Test func aTruncatedFileIsFound() throws {
        let scratch = try sampleStore()
        let bytes = try Data(contentsOf: scratch.url("a.sqlite"))
        try bytes.prefix(bytes.count / 2).write(to: scratch.url("a.sqlite"))
        #expect(try rules(scratch.url("a.sqlite").path).contains(.truncatedFile))
        try bytes.prefix(50).write(to: scratch.url("a.sqlite"))
        #expect(try rules(scratch.url("a.sqlite").path).contains(.truncatedFile))
    }

    /// Whatever bytes are damaged, the check ends with findings or a reason.
    @Test(.randomized) func damagedPagesAreFoundOrHarmless() throws {
        var generator = Seeds.generator()
        let scratch = try sampleStore()
        let bytes = try Data(contentsOf: scratch.url("a.sqlite"))
        let path = scratch.url("damaged.sqlite").path
        var found = 0
        for _ in 0..<60 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...5, using: &generator) {
                let page = Int.random(in: 1..<(bytes.count / 4096), using: &generator) * 4096
                let count = [1, 8, 100, 4096].randomElement(using: &generator) ?? 1
                let start = page + (count == 4096 ? 0 : Int.random(in: 0..<(4096 - count), using: &generator))
                let value = UInt8.random(in: 0...255, using: &generator)
                damaged.replaceSubrange(start..<(start + count), with: Data(repeating: value, count: count))
            }
            try damaged.write(to: URL(fileURLWithPath: path))
            if try rules(path).contains(.damagedPage) { found += 1 }
        }
        #expect(found > 10)
    }

    @Test func aZeroedTableIsDamage() throws {
        let scratch = try sampleStore()
        let url = scratch.url("a.sqlite")
        let root = try #require(
            try SeedDatabase(url.path).integer("SELECT rootpage FROM sqlite_master WHERE name = 'ZEVERYTHING'"))
        var bytes = try Data(contentsOf: url)
        let start = Int(root - 1) * 4096
        bytes.replaceSubrange(start..<(start + 4096), with: Data(count: 4096))
        try bytes.write(to: url)
        #expect(try rules(url.path).contains(.damagedPage))
        #expect(try rules(url.path, { $0.isQuick = true }).contains(.damagedPage))
    }

    // MARK: Journal and log

    @Test func aHotJournalIsFoundAndItsTransactionIsNotRead() throws {
        let scratch = try sampleStore()
        let url = scratch.url("a.sqlite")
        let copy = scratch.url("hot.sqlite")
        let database = try SeedDatabase(url.path)
        _ = try database.integer("PRAGMA journal_mode = DELETE")
        try database.execute(
            """
            PRAGMA cache_size = 1; BEGIN; UPDATE ZEVERYTHING SET Z_OPT = NULL; \
            UPDATE ZNODE SET Z_OPT = NULL; UPDATE ZTAG SET Z_OPT = NULL
            """)
        try FileManager.default.copyItem(at: url, to: copy)
        try FileManager.default.copyItem(atPath: url.path + "-journal", toPath: copy.path + "-journal")
        try FileManager.default.copyItem(at: scratch.url(".a_SUPPORT"), to: scratch.url(".hot_SUPPORT"))
        try database.execute("ROLLBACK")
        let before = try scratch.files()
        #expect(try rules(copy.path) == [.hotJournal])
        #expect(try scratch.files() == before)
    }

    @Test func aLargeLogIsFound() throws {
        let scratch = try sampleStore()
        let url = scratch.url("a.sqlite")
        let copy = scratch.url("log.sqlite")
        let database = try SeedDatabase(url.path)
        try database.execute(
            """
            PRAGMA wal_autocheckpoint = 0; CREATE TABLE ZJUNK (a); INSERT INTO ZJUNK VALUES (zeroblob(18000000)); \
            UPDATE ZJUNK SET a = zeroblob(4000)
            """)
        try FileManager.default.copyItem(at: url, to: copy)
        try FileManager.default.copyItem(atPath: url.path + "-wal", toPath: copy.path + "-wal")
        try FileManager.default.copyItem(at: scratch.url(".a_SUPPORT"), to: scratch.url(".log_SUPPORT"))
        let before = try scratch.files()
        #expect(try rules(copy.path).isSuperset(of: [.largeLog, .unknownTable]))
        #expect(try scratch.files() == before)
    }

    /// Bytes and modification times of the store and its folder stay, also while an app has it open.
    @Test(arguments: [false, true])
    func checkingLeavesTheFilesUnchanged(isOpen: Bool) throws {
        let scratch = try sampleStore()
        let database = try SeedDatabase(scratch.url("a.sqlite").path)
        if isOpen { try database.execute("UPDATE ZTAG SET Z_OPT = Z_OPT + 1") }
        func times() throws -> [String: Date] {
            var result: [String: Date] = [:]
            for name in try [""] + FileManager.default.contentsOfDirectory(atPath: scratch.folder.path) {
                let attributes = try FileManager.default.attributesOfItem(atPath: scratch.url(name).path)
                result[name] = attributes[.modificationDate] as? Date
            }
            return result
        }
        // Connections to a store in use share an index of the log, in which each notes what it reads.
        func withoutIndex<Value>(_ files: [String: Value]) -> [String: Value] {
            files.filter { !$0.key.hasSuffix("-shm") }
        }
        let (files, dates) = (try scratch.files(), try times())
        #expect(try rules(scratch.url("a.sqlite").path).isEmpty)
        #expect(Set(try scratch.files().keys) == Set(files.keys))
        #expect(try withoutIndex(scratch.files()) == withoutIndex(files))
        #expect(try withoutIndex(times()) == withoutIndex(dates))
        // The app can write meanwhile and afterwards.
        try database.execute("UPDATE ZTAG SET Z_OPT = Z_OPT + 1")
    }

    // MARK: External files

    @Test func missingAndOrphanedExternalFilesAreFound() throws {
        let scratch = try sampleStore()
        let path = scratch.url("a.sqlite").path
        let folder = scratch.url(".a_SUPPORT/_EXTERNAL_DATA")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        let name = try #require(names.first)
        let orphan = folder.appendingPathComponent(UUID().uuidString)
        try FileManager.default.moveItem(at: folder.appendingPathComponent(name), to: orphan)
        // The row of a new file may not be saved yet, and other names are not Core Data's.
        try scratch.write(Data(), to: ".a_SUPPORT/_EXTERNAL_DATA/notes.txt")
        #expect(try StoreDoctorTests.check(path).findings.map(\.rule) == [.externalFileMissing])
        // A folder has no value.
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent(name), withIntermediateDirectories: false)
        #expect(try StoreDoctorTests.check(path).findings.map(\.rule) == [.externalFileMissing])
        for url in [orphan, folder.appendingPathComponent("notes.txt")] {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -2 * 86_400)], ofItemAtPath: url.path)
        }
        let result = try StoreDoctorTests.check(path)
        #expect(result.findings.last?.rows.examples == [orphan.lastPathComponent])
        #expect(Set(result.findings.map(\.rule)) == [.externalFileMissing, .externalFileOrphaned])
        #expect(result.findings.first?.property == "file")
        #expect(result.findings.first?.rows.count == 1)
        try FileManager.default.removeItem(at: scratch.url(".a_SUPPORT"))
        let missing = try StoreDoctorTests.check(path).findings
        #expect(missing.map(\.rule) == [.externalFileMissing])
        #expect(missing.first?.rows.count == names.count)
    }

    // MARK: The model

    @Test func aModelThatIsNotThatOfTheMetadataIsFound() throws {
        let scratch = try sampleStore()
        let url = scratch.url("a.sqlite")
        let hash = try #require(try scratch.model()).versionHashes().entities
        let entity = try #require(hash["Tag"])
        let database = try SeedDatabase(url.path)
        let hex = entity.bytes.map { String(format: "%02X", $0) }.joined()
        // The first byte of the entity's hash in the property list.
        let flipped = (hex.hasPrefix("00") ? "01" : "00") + hex.dropFirst(2)
        let list = try #require(try database.texts("SELECT hex(Z_PLIST) FROM Z_METADATA").first)
        try database.execute(
            "UPDATE Z_METADATA SET Z_PLIST = x'\(list.replacingOccurrences(of: hex, with: flipped))'")
        #expect(try rules(url.path) == [.modelMismatch])
        try database.execute("UPDATE Z_METADATA SET Z_PLIST = x'\(list)'; UPDATE Z_MODELCACHE SET Z_CONTENT = x'0102'")
        let result = try StoreDoctorTests.check(url.path)
        #expect(result.findings.map(\.rule) == [.modelCacheUnreadable])
        #expect(result.missingModel != nil)
        try database.execute("DELETE FROM Z_MODELCACHE")
        #expect(try StoreDoctorTests.check(url.path).findings.isEmpty)
        #expect(scratch.check("a.sqlite") == 0)
        #expect(scratch.errorOutput.contains("without a model"))
        #expect(scratch.check("a.sqlite", "--model", "Model.xcdatamodel", "--notes") == 0)
        #expect(!scratch.errorOutput.contains("without a model"))
    }

    // MARK: Spatial indexes

    @Test func spatialIndexesAreCompared() throws {
        let scratch = try sampleStore()
        let path = scratch.url("a.sqlite").path
        let database = try SeedDatabase(path)
        try database.execute(
            """
            CREATE VIRTUAL TABLE Z_RT_Tag_place USING rtree(Z_PK INTEGER, A_MIN, A_MAX); \
            INSERT INTO Z_RT_Tag_place SELECT Z_PK, 1, 2 FROM ZTAG
            """)
        #expect(try rules(path).isEmpty)
        try database.execute("INSERT INTO Z_RT_Tag_place VALUES (999999, 1, 2)")
        #expect(try rules(path) == [.rtreeDrift])
        try database.execute(
            "DELETE FROM Z_RT_Tag_place WHERE Z_PK = 999999; DELETE FROM Z_RT_Tag_place_rowid WHERE rowid = 1")
        #expect(try rules(path) == [.rtreeDrift])
    }

    /// A damaged index is made again with what Core Data's triggers insert, unless these insert only some of the rows.
    @Test func damagedSpatialIndexesAreMadeAgain() throws {
        let scratch = try sampleStore()
        let database = try SeedDatabase(scratch.url("a.sqlite").path)
        let insertion = "INSERT OR REPLACE INTO Z_RT_Tag_place (Z_PK, Z_OPT_MIN, Z_OPT_MAX) VALUES "
        try database.execute(
            """
            CREATE VIRTUAL TABLE Z_RT_Tag_place USING RTREE (Z_PK INTEGER PRIMARY KEY, Z_OPT_MIN FLOAT, Z_OPT_MAX FLOAT); \
            CREATE TRIGGER Z_RT_Tag_place_INSERT AFTER INSERT ON ZTAG FOR EACH ROW BEGIN \
            \(insertion)(NEW.Z_PK, NEW.Z_OPT ,NEW.Z_OPT) ; END; \
            UPDATE ZTAG SET Z_OPT = Z_PK; \
            INSERT INTO Z_RT_Tag_place SELECT Z_PK, Z_OPT, Z_OPT FROM ZTAG; \
            DELETE FROM Z_RT_Tag_place_rowid WHERE rowid < 4
            """)
        #expect(scratch.repair("a.sqlite", "--output", "b.sqlite") == 0, "\(scratch.errorOutput)")
        #expect(scratch.output.contains("[rtree-drift]"))
        let fixed = try SeedDatabase(scratch.url("b.sqlite").path)
        #expect(try fixed.texts("SELECT rtreecheck('Z_RT_Tag_place')") == ["ok"])
        let rows = try fixed.texts("SELECT Z_PK || ' ' || Z_OPT FROM ZTAG ORDER BY Z_PK")
        #expect(rows.count > 4)
        #expect(
            try fixed.texts("SELECT Z_PK || ' ' || CAST(Z_OPT_MAX AS INTEGER) FROM Z_RT_Tag_place ORDER BY Z_PK")
                == rows)
        try database.execute(
            """
            DROP TRIGGER Z_RT_Tag_place_INSERT; CREATE TRIGGER Z_RT_Tag_place_INSERT AFTER INSERT ON ZTAG FOR EACH ROW \
            WHEN NEW.Z_OPT > 3 BEGIN \(insertion)(NEW.Z_PK, NEW.Z_OPT ,NEW.Z_OPT) ; END
            """)
        #expect(scratch.repair("a.sqlite", "--output", "c.sqlite") == 1)
    }

    // MARK: History

    @Test(arguments: [
        ("DELETE FROM ATRANSACTION WHERE Z_PK = 2", RuleID.historyOrphan),
        ("UPDATE ACHANGE SET ZENTITY = 9998 WHERE Z_PK = 2", .historyEntity),
        ("UPDATE ATRANSACTION SET ZAUTHORTS = 77 WHERE Z_PK = 2", .historyString),
        ("UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_ENT = 16001", .historyMax),
        ("UPDATE ACHANGE SET ZENTITYPK = 2 WHERE Z_PK = 3", .historyUndead),
        ("UPDATE ACHANGE SET ZTOMBSTONE0 = 'x' WHERE Z_PK = 2", .historyTombstone),
        ("DROP TABLE ATRANSACTIONSTRING", .historyPartial),
        (
            "CREATE TABLE ANSCKRECORDMETADATA (ZENTITYID INTEGER, ZENTITYPK INTEGER); "
                + "INSERT INTO ANSCKRECORDMETADATA SELECT Z_ENT, 5000 FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'",
            .cloudkitRecord
        ),
        (
            "WITH RECURSIVE n(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < 10100) "
                + "INSERT INTO ATRANSACTION SELECT i, 16002, NULL, NULL, 1, 700000200 FROM n; "
                + "UPDATE Z_PRIMARYKEY SET Z_MAX = 10100 WHERE Z_ENT = 16002", .historyBloat
        ),
    ])
    func faultsInHistoryAreFound(sql: String, rule: RuleID) throws {
        let scratch = try sampleStore()
        let path = scratch.url("a.sqlite").path
        let database = try SeedDatabase(path)
        try database.execute(FaultSeeder.history(of: "Tag"))
        #expect(try rules(path).isEmpty)
        try database.execute(sql)
        #expect(try rules(path) == [rule])
        if rule == .historyBloat { #expect(try rules(path) { $0.historyDays = 100_000 }.isEmpty) }
    }

    // MARK: Owners and duplicates

    static let folders = """
        <entity name="Folder" syncable="YES">
            <relationship name="items" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Item" \
        inverseName="folder" inverseEntity="Folder"/>
            <relationship name="extras" optional="YES" toMany="YES" ordered="YES" deletionRule="Nullify" destinationEntity="Extra"/>
        </entity>
        <entity name="Item" syncable="YES">
            <attribute name="level" optional="YES" attributeType="Integer 16" minValueString="3" maxValueString="9" \
        usesScalarValueType="NO"/>
            <attribute name="title" optional="YES" attributeType="String" maxValueString="20"/>
            <relationship name="folder" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Folder" \
        inverseName="items" inverseEntity="Folder"/>
        </entity>
        <entity name="Extra" syncable="YES">
            <attribute name="code" optional="YES" attributeType="String" regularExpressionString="[a-z]+"/>
        </entity>
        """

    @Test func rowsWithoutOwnersDuplicatesAndInvalidValuesAreFound() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(Self.folders)
        #expect(scratch.make(rows: 40) == 0)
        let path = scratch.url("a.sqlite").path
        let database = try SeedDatabase(path)
        func found(_ sql: String, _ configure: (inout StoreDoctor.Options) -> Void = { _ in }) throws -> Set<RuleID> {
            try database.execute("SAVEPOINT s; " + sql)
            try database.execute("RELEASE s")
            return try rules(path, configure)
        }
        #expect(try found("UPDATE ZITEM SET ZFOLDER = 1").isEmpty)
        #expect(try found("UPDATE ZITEM SET ZFOLDER = NULL WHERE Z_PK > 5") == [.unownedRow])
        // None is owned: the relationship is not used.
        #expect(try found("UPDATE ZITEM SET ZFOLDER = NULL").isEmpty)
        #expect(try found("UPDATE ZITEM SET ZLEVEL = 10 WHERE Z_PK = 3") == [.validation])
        #expect(try found("UPDATE ZITEM SET ZLEVEL = 9 WHERE Z_PK = 3").isEmpty)
        #expect(
            try found("UPDATE ZITEM SET ZTITLE = 'a text of more than twenty letters' WHERE Z_PK = 3") == [.validation])
        #expect(try found("UPDATE ZITEM SET ZTITLE = 'same', ZLEVEL = 5").isEmpty)
        let duplicates = StoreDoctor.Duplicates(entity: "Item", properties: [])
        #expect(try found("SELECT 1") { $0.duplicates = [duplicates] } == [.duplicateRows])
        #expect(throws: StoreDoctor.Failure.self) {
            try rules(path) { $0.duplicates = [StoreDoctor.Duplicates(entity: "Item", properties: ["none"])] }
        }
        #expect(try found("UPDATE ZEXTRA SET ZCODE = 'A1' WHERE Z_PK = 2") == [.validation])
        #expect(try found("UPDATE ZEXTRA SET ZCODE = 'a'").isEmpty)
        let columns = try database.texts("SELECT name FROM pragma_table_info('ZEXTRA') WHERE name LIKE '%EXTRAS'")
        let key = try #require(columns.first { !$0.hasPrefix("Z_FOK") })
        let order = try #require(columns.first { $0.hasPrefix("Z_FOK") })
        #expect(try found("UPDATE ZEXTRA SET \(key) = NULL, \(order) = NULL").isEmpty)
        #expect(try found("UPDATE ZEXTRA SET \(key) = 999, \(order) = 2048 WHERE Z_PK = 2") == [.ownerDangling])
        #expect(try found("UPDATE ZEXTRA SET \(key) = 1, \(order) = NULL WHERE Z_PK = 2") == [.orderMissing])
        #expect(try found("UPDATE ZEXTRA SET \(key) = NULL, \(order) = 2048 WHERE Z_PK = 2") == [.orderWithoutOwner])
        #expect(try found("UPDATE ZEXTRA SET \(key) = 1, \(order) = 2048 WHERE Z_PK < 4") == [.orderDuplicate])
    }
}
