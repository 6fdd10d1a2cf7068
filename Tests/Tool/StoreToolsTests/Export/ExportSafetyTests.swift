import Foundation
import ModelcDriver
import Testing

@testable import StoreDoctor
@testable import StoreTools

/// That an export is one state of the store, and removes and reads nothing else.
@Suite struct ExportSafetyTests {
    private static let book = """
        <entity name="Book" syncable="YES">
            <attribute name="cover" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
            <attribute name="title" optional="YES" attributeType="String"/>
        </entity>
        """
    private static let uuid = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"

    private func store(rows: Int = 3) throws -> StoreScratch {
        let scratch = try StoreScratch()
        try scratch.writeModel(Self.book)
        #expect(scratch.make(rows: rows) == 0, "\(scratch.errorOutput)")
        return scratch
    }

    // MARK: Other files

    @Test(arguments: ["note.txt", "files/note.txt", "files/Book-1/note.txt", "sub/Book.jsonl"])
    func aFolderWithOtherFilesIsNotReplaced(_ name: String) throws {
        let scratch = try store()
        #expect(scratch.export("a.sqlite", "--inline-limit", "0", "--output", "out") == 0)
        #expect(scratch.export("a.sqlite", "--inline-limit", "0", "--output", "out", "--force") == 0)
        try scratch.write(Data("mine".utf8), to: "out/\(name)")
        let before = try scratch.files()
        #expect(scratch.export("a.sqlite", "--output", "out", "--force") == 2)
        #expect(scratch.errorOutput.contains("the folder is not replaced: “out/"), "\(scratch.errorOutput)")
        #expect(try scratch.files() == before)
    }

    @Test func aFolderWithTheStoreOrALinkIsNotReplaced() throws {
        let scratch = try store()
        #expect(scratch.export("a.sqlite", "--output", "out") == 0)
        let lines = scratch.url("out/Book.jsonl")
        try FileManager.default.removeItem(at: lines)
        // Under the name of a file of the export.
        try FileManager.default.copyItem(at: scratch.url("a.sqlite"), to: lines)
        let before = try scratch.files()
        #expect(scratch.export("out/Book.jsonl", "--output", "out", "--force") == 2)
        #expect(
            scratch.errorOutput.contains("the folder contains the store that is exported"), "\(scratch.errorOutput)")
        #expect(try scratch.files() == before)
        try FileManager.default.removeItem(at: lines)
        try FileManager.default.createSymbolicLink(at: lines, withDestinationURL: scratch.url("a.sqlite"))
        #expect(scratch.export("a.sqlite", "--output", "out", "--force") == 2)
        #expect(scratch.export("a.sqlite", "--output", "new") == 0)
        try scratch.write(Data("{\"x-modelc\":{\"version\":1}}".utf8), to: "mine/schema.json")
        #expect(scratch.export("a.sqlite", "--output", "mine", "--force") == 2)
        #expect(scratch.errorOutput.contains("it is not an export"), "\(scratch.errorOutput)")
    }

    /// What appears at the destination while the export is written stays.
    @Test(arguments: [false, true]) func filesCreatedMeanwhileAreKept(_ isFolder: Bool) throws {
        let scratch = try store()
        let files = POSIXFileSystem(workingDirectory: scratch.folder.path)
        let output = try ExportOutput("out", isFolder: isFolder, store: "a.sqlite", replaces: true, files)
        let name = isFolder ? "out/a.txt" : "out"
        if !isFolder { try Data("new".utf8).write(to: URL(fileURLWithPath: output.temporaryPath)) }
        try scratch.write(Data("mine".utf8), to: name)
        #expect(throws: InputFailure.self) { try output.commit() }
        #expect(try scratch.text(name) == "mine")
        output.discard()
    }

    // MARK: Changes while the store is read

    private func append(_ scratch: StoreScratch) throws {
        try scratch.execute("INSERT INTO ZBOOK(Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (900, 1, 1, 'late')", in: "a.sqlite")
    }

    private func exporter(_ scratch: StoreScratch, _ format: StoreExporter.Format = .jsonl) -> StoreExporter {
        var options = StoreExporter.Options()
        options.format = format
        return StoreExporter(path: scratch.url("a.sqlite").path, options: options)
    }

    /// The export starts again, and contains the state after the change.
    @Test(arguments: [StoreExporter.Format.jsonl, .sqlite, .views]) func aChangeStartsTheExportAgain(
        _ format: StoreExporter.Format
    ) throws {
        let scratch = try store()
        try FileManager.default.createDirectory(at: scratch.url("out"), withIntermediateDirectories: true)
        var exporter = exporter(scratch, format)
        var readings = 0
        var failure: (any Error)?
        exporter.didRead = {
            readings += 1
            guard readings == 1 else { return }
            do { try append(scratch) } catch { failure = error }
        }
        let target = format == .jsonl ? ExportTarget.folder(scratch.url("out").path) : .file(scratch.url("plain").path)
        let summary = try exporter.export(to: target)
        #expect(failure == nil)
        #expect(readings == 2)
        if format != .views { #expect(summary.rowCount == 4) }
        if format == .jsonl { #expect(try scratch.text("out/Book.jsonl").contains("late")) }
    }

    @Test func changesWithoutAnEndAreAnError() throws {
        let scratch = try store()
        try FileManager.default.createDirectory(at: scratch.url("out"), withIntermediateDirectories: true)
        var exporter = exporter(scratch)
        var key = 900
        exporter.didRead = {
            key += 1
            try? scratch.execute("INSERT INTO ZBOOK(Z_PK, Z_ENT, Z_OPT) VALUES (\(key), 1, 1)", in: "a.sqlite")
        }
        let failure = #expect(throws: StoreExporter.Failure.self) {
            try exporter.export(to: .folder(scratch.url("out").path))
        }
        #expect(failure?.kind == .changed)
        #expect(try scratch.files().keys.allSatisfy { !$0.hasPrefix("out/") })
        #expect(key == 905)
    }

    @Test func aStreamOfAChangedStoreIsAnError() throws {
        let scratch = try store()
        var exporter = exporter(scratch)
        exporter.didRead = { try? append(scratch) }
        let failure = #expect(throws: StoreExporter.Failure.self) { try exporter.export(to: .stream { _ in }) }
        #expect(failure?.kind == .changed)
        #expect(failure?.help.hasPrefix("The output is incomplete.") == true)
    }

    // MARK: External values

    @Test func linksAndFoldersAreNotExternalValues() throws {
        let scratch = try store(rows: 0)
        try scratch.execute(
            """
            INSERT INTO ZBOOK(Z_PK, Z_ENT, Z_OPT, ZCOVER) \
            VALUES (1, 1, 1, CAST(x'02' || CAST('\(Self.uuid)' AS BLOB) || x'00' AS BLOB));
            """, in: "a.sqlite")
        let folder = scratch.url(".a_SUPPORT/_EXTERNAL_DATA")
        let file = folder.appendingPathComponent(Self.uuid)
        try scratch.write(Data("secret".utf8), to: "secret")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: scratch.url("secret"))
        for format in ["jsonl", "csv"] {
            #expect(scratch.export("a.sqlite", "--format", format, "--output", "-") == 1)
            #expect(
                scratch.errorOutput.contains("is in an external file that cannot be read"), "\(scratch.errorOutput)")
        }
        try FileManager.default.removeItem(at: file)
        #expect(mkfifo(file.path, 0o600) == 0)
        #expect(scratch.export("a.sqlite", "--output", "-") == 1)
        try FileManager.default.removeItem(at: file)
        // More than one part.
        let value = Data((0..<2_500_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        try value.write(to: file)
        #expect(scratch.export("a.sqlite", "--output", "out") == 0, "\(scratch.errorOutput)")
        #expect(try Data(contentsOf: scratch.url("out/files/Book-1/1-0-cover")) == value)
        #expect(scratch.importStore("out", "--output", "b.sqlite") == 0)
        #expect(scratch.diff() == 0, "\(scratch.output)")
    }

    @Test func longPropertyNamesGetSeparateFiles() throws {
        let name = String(repeating: "a", count: 160)
        let scratch = try StoreScratch()
        try scratch.writeModel(
            """
            <entity name="Book" syncable="YES">
                <attribute name="\(name)1" optional="YES" attributeType="Binary"/>
                <attribute name="\(name)2" optional="YES" attributeType="Binary"/>
            </entity>
            """)
        #expect(scratch.make(rows: 5) == 0)
        #expect(scratch.export("a.sqlite", "--inline-limit", "0", "--output", "out") == 0)
        #expect(scratch.importStore("out", "--output", "b.sqlite") == 0, "\(scratch.errorOutput)")
        #expect(scratch.diff() == 0, "\(scratch.output)")
    }

    // MARK: Archives

    private func json(_ object: Any, limit: Int = ArchiveJSON.outputLimit) throws -> [UInt8]? {
        let archive = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: false)
        return archive.withUnsafeBytes { ArchiveJSON.text($0, outputLimit: limit) }
    }

    @Test func archivesAreExpandedWithinLimits() throws {
        #expect(try json(["a", 1] as NSArray).map { String(decoding: $0, as: UTF8.self) } == "[\"a\",1]")
        let text = String(repeating: "x", count: 1 << 20) as NSString
        #expect(try json(Array(repeating: text, count: 2) as NSArray) != nil)
        #expect(ArchiveJSON.outputLimit == 64 << 20)
        let many = Array(repeating: String(repeating: "x", count: 1 << 10), count: 20) as NSArray
        #expect(try json(many, limit: 21 << 10) != nil)
        #expect(try json(many, limit: 19 << 10) == nil)
        #expect(try json(Array(repeating: text, count: 200) as NSArray) == nil)
        #expect(try json(NSDate(timeIntervalSinceReferenceDate: .nan)) == nil)
        #expect(
            try json(NSDate(timeIntervalSinceReferenceDate: 0)).map { String(decoding: $0, as: UTF8.self) }
                == "{\"$class\":\"NSDate\",\"value\":\"2001-01-01T00:00:00.000Z\"}")
    }
}
