import CSQLite3
import CZlib
import CompiledModel
import Foundation
import ModelSchema
import Testing

@testable import StoreFile

/// The stores are created here, with the tables described in Documentation/Formats/SQLiteStore.md, 2.
@Suite struct StoreFileTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private static let model: Model = {
        var model = Model(name: "M")
        var user = Entity(name: "User")
        user.attributes = [Attribute(name: "name", type: .string)]
        model.entities = [user]
        return model
    }()

    /// Creates a database with statements; `?` stands for the bytes.
    private func database(_ name: String, _ statements: [(sql: String, bytes: [UInt8]?)]) throws -> String {
        let path = folder.appendingPathComponent(name).path
        var handle: OpaquePointer?
        #expect(sqlite3_open(path, &handle) == SQLITE_OK)
        defer { sqlite3_close(handle) }
        for (sql, bytes) in statements {
            var statement: OpaquePointer?
            #expect(sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK)
            if let bytes {
                let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
                sqlite3_bind_blob(statement, 1, bytes, Int32(bytes.count), transient)
            }
            #expect([SQLITE_DONE, SQLITE_ROW].contains(sqlite3_step(statement)))
            sqlite3_finalize(statement)
        }
        return path
    }

    private func metadata(_ hashes: PropertyListValue) -> [UInt8] {
        PropertyListValue.dictionary([
            .init("NSStoreModelVersionHashes", hashes), .init("NSStoreModelVersionChecksumKey", .string("sum=")),
        ]).binaryBytes()
    }

    private var hashes: PropertyListValue {
        .dictionary(Self.model.versionHashes().entities.elements.map { .init($0.name, .data($0.hash.bytes)) })
    }

    private func store(_ name: String, plist: [UInt8], cache: [UInt8]? = nil) throws -> String {
        var statements: [(sql: String, bytes: [UInt8]?)] = [
            ("CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)", nil),
            ("INSERT INTO Z_METADATA VALUES (1, 'THE-UUID', ?)", plist),
        ]
        if let cache {
            statements.append(("CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)", nil))
            statements.append(("INSERT INTO Z_MODELCACHE VALUES (?)", cache))
        }
        return try database(name, statements)
    }

    private func deflated(_ bytes: [UInt8]) -> [UInt8] {
        var stream = z_stream()
        deflateInit2_(
            &stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        defer { deflateEnd(&stream) }
        var input = bytes
        var output = [UInt8](repeating: 0, count: bytes.count + 1000)
        let capacity = output.count
        let left = input.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target -> Int in
                stream.next_in = source.baseAddress
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(target.count)
                #expect(deflate(&stream, Z_FINISH) == Z_STREAM_END)
                return Int(stream.avail_out)
            }
        }
        return Array(output[..<(capacity - left)])
    }

    @Test func readsMetadataHashesAndModel() throws {
        let archive = try EncodedModel(Self.model).bytes
        let path = try store("a #1?%.sqlite", plist: metadata(hashes), cache: deflated(archive))
        let before = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let file = try StoreFile(path: path)
        #expect(file.uuid == "THE-UUID")
        #expect(file.checksum == "sum=")
        #expect(file.digest == nil)
        #expect(file.hashes == Self.model.versionHashes().entities)
        #expect(file.modelArchive == archive)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == before)
    }

    @Test func aStoreWithoutModelIsAStore() throws {
        #expect(try StoreFile(path: store("b.sqlite", plist: metadata(hashes))).modelArchive == nil)
    }

    @Test func unreadableFilesHaveTheirErrorKind() throws {
        func kind(_ path: String) -> StoreFileError.Kind? {
            do throws(StoreFileError) {
                _ = try StoreFile(path: path)
                return nil
            } catch {
                return error.kind
            }
        }
        #expect(kind(folder.appendingPathComponent("missing").path) == .unreadable)
        #expect(try kind(database("other.db", [("CREATE TABLE T (x)", nil)])) == .notAStore)
        #expect(try kind(store("plist.sqlite", plist: Array("garbage".utf8))) == .malformed)
        #expect(
            try kind(store("hash.sqlite", plist: metadata(.dictionary([.init("User", .data([1, 2]))])))) == .malformed)
        #expect(try kind(store("none.sqlite", plist: metadata(.string("x")))) == .malformed)
        #expect(try kind(store("cache.sqlite", plist: metadata(hashes), cache: [1, 2, 3])) == .malformed)
        let whole = try Data(contentsOf: URL(fileURLWithPath: store("whole.sqlite", plist: metadata(hashes))))
        let cut = folder.appendingPathComponent("cut.sqlite")
        for length in [0, 10, 100, 1000, 4096, whole.count - 1] {
            try whole.prefix(length).write(to: cut)
            #expect(kind(cut.path) != nil, "\(length) bytes")
        }
    }

    /// The journal mode is read from the header, whatever would be necessary to read the database.
    @Test func theJournalModeNeedsNoCopy() throws {
        let log = try database("log.sqlite", [("PRAGMA journal_mode = WAL", nil), ("CREATE TABLE a(b)", nil)])
        let plain = try database("plain.sqlite", [("CREATE TABLE a(b)", nil)])
        for path in [log, plain] {
            // A journal that looks as if a crash had left it.
            try Data([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7] + [UInt8](repeating: 0, count: 600))
                .write(to: URL(fileURLWithPath: path + "-journal"))
        }
        #expect(DatabaseInspection.isInLogMode(path: log) == true)
        #expect(DatabaseInspection.isInLogMode(path: plain) == false)
        let other = folder.appendingPathComponent("other")
        try Data("no database, but long enough for a header".utf8).write(to: other)
        #expect(DatabaseInspection.isInLogMode(path: other.path) == nil)
        #expect(DatabaseInspection.isInLogMode(path: folder.path) == nil)
        #expect(DatabaseInspection.isInLogMode(path: other.path + "2") == nil)
    }

    /// An immutable connection notices that another process has written, with and without their log.
    @Test(arguments: [false, true]) func changesDuringAnInspectionAreNoticed(_ closes: Bool) throws {
        let path = try database(
            "wal.sqlite", [("PRAGMA journal_mode = WAL", nil), ("CREATE TABLE a(b)", nil)])
        let inspection = try DatabaseInspection(path: path)
        #expect(inspection.isConsistent)
        var handle: OpaquePointer?
        #expect(sqlite3_open(path, &handle) == SQLITE_OK)
        defer { sqlite3_close(handle) }
        // Only reading.
        #expect(sqlite3_exec(handle, "SELECT * FROM a", nil, nil, nil) == SQLITE_OK)
        #expect(inspection.isConsistent)
        #expect(sqlite3_exec(handle, "INSERT INTO a VALUES (1)", nil, nil, nil) == SQLITE_OK)
        if closes {
            #expect(sqlite3_close(handle) == SQLITE_OK)
            handle = nil
        }
        #expect(!inspection.isConsistent)
        // With a log, the connection reads a snapshot.
        if !closes { #expect(try DatabaseInspection(path: path).isConsistent) }
    }

    @Test func aBombIsNotInflated() {
        let bomb = deflated([UInt8](repeating: 0, count: RawInflate.sizeLimit + (1 << 20)))
        #expect(RawInflate.inflate(bomb) == nil)
        #expect(RawInflate.inflate(Array(bomb.dropLast(10))) == nil)
    }
}
