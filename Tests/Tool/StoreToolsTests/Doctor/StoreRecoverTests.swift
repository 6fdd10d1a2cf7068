import CoreData
import Diagnostics
import Foundation
import StoreFile
import TestSupport
import Testing

@testable import StoreDoctor
@testable import StoreTools

/// `modelc store recover` saves what can be read, finds deleted rows, and never changes or trusts the file.
@Suite struct StoreRecoverTests {
    private static let entities = """
        <entity name="Author" syncable="YES">
            <attribute name="name" optional="YES" attributeType="String"/>
            <relationship name="books" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Book" \
        inverseName="author" inverseEntity="Book"/>
        </entity>
        <entity name="Book" syncable="YES">
            <attribute name="pages" optional="YES" attributeType="Integer 64" usesScalarValueType="NO"/>
            <attribute name="price" optional="YES" attributeType="Double" usesScalarValueType="NO"/>
            <attribute name="title" optional="YES" attributeType="String"/>
            <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author" \
        inverseName="books" inverseEntity="Author"/>
        </entity>
        """

    private static let rows = 2000

    /// Returns a store in which each book has a title that is nowhere else in the file.
    private func store() throws -> StoreScratch {
        let scratch = try StoreScratch()
        try scratch.writeModel(Self.entities)
        #expect(scratch.make(rows: 20) == 0)
        try scratch.execute(
            """
            PRAGMA journal_mode = DELETE; PRAGMA secure_delete = 0; DELETE FROM ZBOOK; \
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.rows)) \
            INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZPAGES, ZAUTHOR, ZPRICE, ZTITLE) \
            SELECT i, (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'), 1, i * 1000, 1 + i % 20, i + 0.5, \
            'title ' || (1000000 + i) || ' ' || substr('abcdefghijklmnopqrstuvwxyz', 1, i % 26) || '.' FROM n; \
            UPDATE Z_PRIMARYKEY SET Z_MAX = \(Self.rows) WHERE Z_NAME = 'Book'; VACUUM
            """, in: "a.sqlite")
        return scratch
    }

    private func title(_ number: Int) -> String {
        "title \(1_000_000 + number) \("abcdefghijklmnopqrstuvwxyz".prefix(number % 26))."
    }

    private func deletedRows(_ scratch: StoreScratch, versions: Bool = false) throws -> [DeletedRow] {
        var rows: [DeletedRow] = []
        try DeletedRowSearch(path: scratch.url("a.sqlite").path, model: nil, includesVersions: versions).run {
            rows.append($0)
        }
        return rows
    }

    private func text(_ row: DeletedRow, _ name: String = "title") -> String? {
        guard case .text(let bytes)? = row.values.first(where: { $0.property == name })?.value else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Damaged files

    @Test func aStoreIsNotRecoveredOntoItself() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel("<entity name=\"A\" syncable=\"YES\"/>")
        #expect(scratch.make() == 0)
        #expect(scratch.recover("a.sqlite", "--force", "--output", "a.sqlite") == 2)
        #expect(
            scratch.errorOutput.hasPrefix(
                """
                a.sqlite: error: the output is the store itself [file-system]
                  help: Choose another --output. Nothing was changed.
                """), "\(scratch.errorOutput)")
    }

    @Test func anIntactStoreIsSavedCompletely() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(SampleModel.entities)
        #expect(scratch.make(rows: 60) == 0)
        // A part of the rows is in the log.
        let database = try SeedDatabase(scratch.url("a.sqlite").path)
        try database.execute("UPDATE ZTAG SET Z_OPT = Z_OPT + 1; UPDATE ZEVERYTHING SET ZDOUBLE = 77.5 WHERE Z_PK = 3")
        let before = try scratch.files()
        #expect(scratch.recover("a.sqlite", "--output", "saved.sqlite") == 0, "\(scratch.output)\(scratch.errorOutput)")
        #expect(scratch.output.contains("Everything  60 saved\n"), "\(scratch.output)")
        #expect(try scratch.files().filter { before[$0.key] != nil } == before)
        #expect(scratch.diff("a.sqlite", "saved.sqlite") == 0, "\(scratch.output)\(scratch.errorOutput)")
        #expect(scratch.check("saved.sqlite", "--strict", "--notes") == 0, "\(scratch.output)")
        #expect(scratch.recover("a.sqlite", "--output", "saved.sqlite") == 2)
        for column in ["Z_UUID", "hex(Z_PLIST)"] {
            #expect(
                try SeedDatabase(scratch.url("saved.sqlite").path).texts("SELECT \(column) FROM Z_METADATA")
                    == database.texts("SELECT \(column) FROM Z_METADATA"))
        }
    }

    /// Names that contain words of SQL, and spatial indexes with their triggers.
    @Test func unusualNamesAndSpatialIndexesAreSaved() throws {
        let scratch = try StoreScratch()
        try scratch.writeModel(
            """
            <entity name="Selection" syncable="YES">
                <attribute name="checked" optional="YES" attributeType="Double" usesScalarValueType="NO"/>
                <relationship name="selected" optional="YES" toMany="YES" deletionRule="Nullify" \
            destinationEntity="Generated" inverseName="without" inverseEntity="Generated"/>
            </entity>
            <entity name="Generated" syncable="YES">
                <relationship name="without" optional="YES" toMany="YES" deletionRule="Nullify" \
            destinationEntity="Selection" inverseName="selected" inverseEntity="Selection"/>
            </entity>
            """)
        #expect(scratch.make(rows: 20) == 0)
        try scratch.execute(
            """
            CREATE VIRTUAL TABLE Z_RT_Selection_place USING rtree(Z_PK INTEGER, A_MIN, A_MAX); \
            INSERT INTO Z_RT_Selection_place SELECT Z_PK, 1, 2 FROM ZSELECTION; \
            CREATE TRIGGER Z_RT_Selection_place_UPDATE AFTER UPDATE ON ZSELECTION BEGIN \
            INSERT OR REPLACE INTO Z_RT_Selection_place VALUES (NEW.Z_PK, 3, 4); END
            """, in: "a.sqlite")
        // A store that was migrated has other numbers in its names than a new one.
        let original = try SeedDatabase(scratch.url("a.sqlite").path)
        let join = try #require(
            try original.texts("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'").first)
        try scratch.execute("ALTER TABLE \(join) RENAME TO Z_9\(join.dropFirst(3))", in: "a.sqlite")
        #expect(scratch.check("a.sqlite", "--strict") == 0, "\(scratch.output)")
        #expect(try original.integer("SELECT count(*) FROM Z_9\(join.dropFirst(3))") ?? 0 > 0)
        #expect(scratch.recover("a.sqlite", "--output", "saved.sqlite") == 0, "\(scratch.errorOutput)")
        #expect(scratch.diff("a.sqlite", "saved.sqlite") == 0, "\(scratch.output)")
        #expect(scratch.check("saved.sqlite", "--strict", "--notes") == 0, "\(scratch.output)")
        let saved = try SeedDatabase(scratch.url("saved.sqlite").path)
        #expect(try saved.integer("SELECT count(*) FROM Z_RT_Selection_place") == 20)
        try saved.execute("UPDATE ZSELECTION SET Z_OPT = 2 WHERE Z_PK = 1")
        #expect(try saved.integer("SELECT A_MIN FROM Z_RT_Selection_place WHERE Z_PK = 1") == 3)
        // A table that Core Data does not define is named.
        try scratch.execute("CREATE TABLE other (a, b, PRIMARY KEY (a)) WITHOUT ROWID", in: "a.sqlite")
        #expect(scratch.recover("a.sqlite", "--output", "again.sqlite") == 1)
        #expect(scratch.errorOutput.contains("the table other was not saved"), "\(scratch.errorOutput)")
    }

    /// Every row on a page that can be read is saved, whatever pages are destroyed.
    @Test(.randomized) func rowsOnIntactPagesAreSaved() throws {
        var generator = Seeds.generator()
        let scratch = try store()
        let path = scratch.url("a.sqlite").path
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let database = try SeedDatabase(path)
        let leaves = try database.texts(
            "SELECT pageno FROM dbstat WHERE name = 'ZBOOK' AND pagetype = 'leaf'"
        ).compactMap(Int.init)
        let inner = try database.texts(
            "SELECT pageno FROM dbstat WHERE name = 'ZBOOK' AND pagetype = 'internal'"
        ).compactMap(Int.init)
        #expect(leaves.count > 10 && !inner.isEmpty)
        let keys = leaves.map { page in
            String(decoding: bytes[(page - 1) * 4096..<page * 4096], as: UTF8.self).components(separatedBy: "title ")
                .dropFirst().compactMap { Int($0.prefix { $0 != " " }) }.map { "\($0 - 1_000_000)" }
        }
        let rounds = Seeds.seconds == nil ? 6 : 200
        for round in 0..<rounds {
            var damaged = bytes
            var pages = Set((0..<3).compactMap { _ in leaves.randomElement(using: &generator) })
            // Without its root, the table is found by the form of its rows.
            if round % 3 == 1 { pages.formUnion(inner) }
            // Without the first page, the schema is that of the model.
            if round % 3 == 2 { pages.insert(1) }
            for page in pages {
                let fill = Bool.random(using: &generator) ? UInt8(0) : 0xAA
                damaged.replaceSubrange((page - 1) * 4096..<page * 4096, with: Data(repeating: fill, count: 4096))
            }
            try damaged.write(to: URL(fileURLWithPath: path))
            let remaining = Set(zip(leaves, keys).filter { !pages.contains($0.0) }.flatMap(\.1))
            try? FileManager.default.removeItem(at: scratch.url("saved.sqlite"))
            let code = scratch.recover("a.sqlite", "--model", "Model.xcdatamodel", "--output", "saved.sqlite")
            #expect(code == 1, "\(pages): \(scratch.errorOutput)")
            let saved = Set(try SeedDatabase(scratch.url("saved.sqlite").path).texts("SELECT Z_PK FROM ZBOOK"))
            #expect(saved == remaining, "\(pages.sorted()): \(remaining.subtracting(saved).sorted())")
            if round % 3 == 0 { #expect(scratch.output.contains("of its table not readable"), "\(scratch.output)") }
            #expect(
                try StoreDoctorTests.check(scratch.url("saved.sqlite").path).findings.allSatisfy {
                    $0.rule != .damagedPage
                })
        }
    }

    /// A table whose row in the schema is lost is named, and its rows are found by their form.
    @Test func aTableOutsideTheSchemaIsALoss() throws {
        let scratch = try store()
        let intact = try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path)
        #expect(intact.contains("a.sqlite"))
        try scratch.execute(
            "PRAGMA writable_schema = 1; DELETE FROM sqlite_master WHERE tbl_name = 'ZBOOK'", in: "a.sqlite")
        #expect(scratch.recover("a.sqlite", "--output", "saved.sqlite") == 1, "\(scratch.errorOutput)")
        #expect(scratch.errorOutput.contains("the table ZBOOK is not in the schema"), "\(scratch.errorOutput)")
        #expect(try SeedDatabase(scratch.url("saved.sqlite").path).integer("SELECT count(*) FROM ZBOOK") == 2000)
    }

    /// Words of SQL in quoted names are not those of a statement.
    @Test func quotedNamesAreNotWordsOfSQL() throws {
        let scratch = try store()
        try scratch.execute(
            "ALTER TABLE ZBOOK ADD COLUMN \"select check; as\" VARCHAR; ALTER TABLE ZBOOK ADD COLUMN ZISSELECTED INTEGER",
            in: "a.sqlite")
        #expect(scratch.recover("a.sqlite", "--output", "saved.sqlite") == 0, "\(scratch.errorOutput)")
        #expect(try SeedDatabase(scratch.url("saved.sqlite").path).integer("SELECT count(*) FROM ZBOOK") == 2000)
    }

    /// Numbers in a log do not decide how many pages are looked at, and a cell is read once however often it is named.
    @Test func hostileNumbersDoNotMultiplyTheWork() throws {
        let scratch = try store()
        let path = scratch.url("a.sqlite").path
        let database = try SeedDatabase(path)
        _ = try database.integer("PRAGMA journal_mode = WAL")
        try database.execute("PRAGMA wal_autocheckpoint = 0; UPDATE ZBOOK SET Z_OPT = 2 WHERE Z_PK = 1")
        let pages = Int(FileStatus.size(path) ?? 0) / 4096
        var log = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "-wal")))
        // The last frame is that of a page far away, with a right checksum.
        let last = log.count - 4120
        log.replaceSubrange(last..<last + 4, with: [0x7F, 0xFF, 0xFF, 0xFF])
        var sums: (UInt32, UInt32) = (0, 0)
        let isBigEndian = log[3] & 1 == 1
        func add(_ range: Range<Int>) {
            for index in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
                func word(_ start: Int) -> UInt32 {
                    let part = log[start..<start + 4]
                    return (isBigEndian ? Array(part) : part.reversed()).reduce(0) { $0 << 8 | UInt32($1) }
                }
                sums.0 = sums.0 &+ word(index) &+ sums.1
                sums.1 = sums.1 &+ word(index + 4) &+ sums.0
            }
        }
        add(0..<24)
        for frame in stride(from: 32, through: last, by: 4120) {
            add(frame..<frame + 8)
            add(frame + 24..<frame + 4120)
        }
        for (offset, sum) in [(16, sums.0), (20, sums.1)] {
            let bytes = withUnsafeBytes(of: sum.bigEndian) { Array($0) }
            log.replaceSubrange(last + offset..<last + offset + 4, with: bytes)
        }
        try Data(contentsOf: URL(fileURLWithPath: path)).write(to: scratch.url("m.sqlite"))
        try Data(log).write(to: scratch.url("m.sqlite-wal"))
        let file = try #require(PageFile(path: scratch.url("m.sqlite").path))
        #expect(file.pageCount == Int(Int32.max))
        #expect(file.pageNumbers.count == pages + 1)
        withExtendedLifetime(database) {}
        // A leaf page with 100 cells that are the same.
        var page = [UInt8](repeating: 0, count: 4096)
        page.replaceSubrange(0..<8, with: [0x0D, 0, 0, 0, 100, 0x0F, 0, 0])
        for index in 0..<100 { page.replaceSubrange(8 + 2 * index..<10 + 2 * index, with: [0x0F, 0]) }
        #expect(file.cells(page, number: 2)?.offsets == [0x0F00])
    }

    // MARK: Deleted rows

    /// A deleted row is found although other rows have the same values.
    @Test func deletedRowsCanBeEqualToOthers() throws {
        let scratch = try store()
        try scratch.execute(
            "PRAGMA secure_delete = 0; UPDATE ZBOOK SET ZTITLE = 'same', ZPAGES = 5, ZPRICE = 1.5, ZAUTHOR = 1; VACUUM; "
                + "DELETE FROM ZBOOK WHERE Z_PK BETWEEN 300 AND 900", in: "a.sqlite")
        let keys = Set(try deletedRows(scratch).compactMap(\.key))
        #expect(keys.count > 300)
        #expect(keys.allSatisfy { (300...900).contains($0) })
    }

    /// At least 95% of the deleted rows whose bytes are still in the file are found, with their values, and no others.
    @Test(.randomized, arguments: ["Z_PK % 20 = 7", "Z_PK % 2 = 0", "Z_PK BETWEEN 300 AND 900"])
    func deletedRowsAreFound(condition: String) throws {
        let scratch = try store()
        let path = scratch.url("a.sqlite").path
        let deleted = try SeedDatabase(path).texts("SELECT Z_PK FROM ZBOOK WHERE \(condition)").compactMap(Int.init)
        try scratch.execute("PRAGMA secure_delete = 0; DELETE FROM ZBOOK WHERE \(condition)", in: "a.sqlite")
        let before = try scratch.files()
        let raw = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
        let present = Set(deleted.filter { raw.contains("title \(1_000_000 + $0) ") })
        let rows = try deletedRows(scratch).filter { $0.entity == "Book" }
        #expect(try scratch.files() == before)
        var found: Set<Int> = []
        var wrong = 0
        for row in rows {
            guard let text = text(row), let number = Int(text.dropFirst(6).prefix(7)).map({ $0 - 1_000_000 }),
                deleted.contains(number), text == title(number),
                row.values.contains(where: { $0.property == "pages" && $0.value == .integer(Int64(number * 1000)) }),
                row.values.contains(where: { $0.property == "price" && $0.value == .real(Double(number) + 0.5) }),
                row.key == nil || row.key == Int64(number)
            else {
                wrong += 1
                continue
            }
            found.insert(number)
        }
        let share = Double(found.count) / Double(max(1, present.count))
        if Seeds.seconds != nil {
            print(
                "\(condition): \(found.count) of \(present.count) in the file, \(deleted.count) deleted, \(wrong) wrong"
            )
        }
        #expect(share >= 0.95, "\(found.count) of \(present.count) in the file, \(deleted.count) deleted")
        #expect(wrong * 200 <= deleted.count, "\(wrong) wrong rows")
        #expect(present.count * 10 > deleted.count * 3)
    }

    @Test func zeroedRowsAreNotFound() throws {
        let scratch = try store()
        try scratch.execute("PRAGMA secure_delete = 1; DELETE FROM ZBOOK WHERE Z_PK % 20 = 7", in: "a.sqlite")
        #expect(try deletedRows(scratch).isEmpty)
    }

    /// Rows that were deleted after a checkpoint are in the file that the log replaces, or in earlier frames.
    @Test func rowsInTheLogAreFound() throws {
        let scratch = try store()
        let database = try SeedDatabase(scratch.url("a.sqlite").path)
        _ = try database.integer("PRAGMA journal_mode = WAL")
        try database.execute("PRAGMA wal_autocheckpoint = 0; PRAGMA secure_delete = 1")
        try database.execute("UPDATE ZBOOK SET ZTITLE = 'newer' WHERE Z_PK IN (5, 6)")
        try database.execute("DELETE FROM ZBOOK WHERE Z_PK IN (6, 7)")
        let before = try scratch.files()
        let rows = try deletedRows(scratch)
        #expect(Set(rows.compactMap(\.key)) == [6, 7])
        #expect(rows.allSatisfy { $0.confidence == .high })
        #expect(rows.first { $0.key == 6 }.flatMap { text($0) } == "newer")
        #expect(rows.first { $0.key == 7 }.flatMap { text($0) } == title(7))
        let versions = try deletedRows(scratch, versions: true)
        #expect(versions.contains { $0.key == 5 && $0.isOlderVersion && text($0) == title(5) })
        #expect(try scratch.files() == before)
        withExtendedLifetime(database) {}
    }

    @Test func rowsArePrintedAsJSONLines() throws {
        let scratch = try store()
        try scratch.execute(
            "PRAGMA secure_delete = 0; DELETE FROM ZBOOK WHERE Z_PK BETWEEN 300 AND 900", in: "a.sqlite")
        #expect(scratch.recover("a.sqlite", "--deleted", "--min-confidence", "high", "--output", "rows.jsonl") == 0)
        let lines = String(decoding: try Data(contentsOf: scratch.url("rows.jsonl")), as: UTF8.self).split(
            separator: "\n")
        #expect(lines.count > 300)
        let row = try #require(try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: Any])
        #expect(row["entity"] as? String == "Book")
        #expect(row["confidence"] as? String == "high")
        let key = try #require(row["key"] as? Int)
        #expect((row["values"] as? [String: Any])?["title"] as? String == title(key))
        #expect((row["values"] as? [String: Any])?["author"] as? Int == 1 + key % 20)
        #expect(scratch.recover("a.sqlite", "--deleted", "--output", "rows.jsonl") == 2)
        #expect(scratch.recover("a.sqlite", "--deleted", "--output", "a.sqlite") == 2)
        #expect(scratch.recover("a.sqlite", "--deleted") == 0)
        #expect(scratch.output.split(separator: "\n").count >= lines.count)
    }

    @Test func unreadableFilesAreErrors() throws {
        let scratch = try store()
        try scratch.write(Data(), to: "empty.sqlite")
        try scratch.write(Data("text".utf8), to: "text.sqlite")
        for name in ["empty.sqlite", "text.sqlite", "none.sqlite"] {
            #expect(scratch.recover(name, "--output", "saved.sqlite") == 2)
            #expect(scratch.recover(name, "--deleted") == 2)
        }
        #expect(scratch.recover("a.sqlite") == -1)
        #expect(scratch.recover("a.sqlite", "--output", "a.sqlite", "--force") == 2)
        #expect(!FileManager.default.fileExists(atPath: scratch.url("saved.sqlite").path))
        let result = try ToolProcess.run(
            "modelc-store", ["recover", "a.sqlite", "--output", "saved.sqlite"], in: scratch.folder, kilobytes: 8)
        #expect(result.code == 2, "\(result.errorOutput)")
        #expect(!FileManager.default.fileExists(atPath: scratch.url("saved.sqlite").path))
    }
}
