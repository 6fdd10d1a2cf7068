import Foundation
import ModelSchema
import StoreFile
import TestSupport
import Testing

/// If `modelc-store migrate` is killed or runs out of space, it leaves either the old store or the new one.
@Suite struct KilledMigrationTests {
    private static let kills = Int(ProcessInfo.processInfo.environment["MODELC_KILLS"] ?? "") ?? 4
    private static let rows = 5000

    private static let old = """
        <entity name="Book"><attribute name="title" optional="YES" attributeType="String"/><attribute name="pages" \
        optional="YES" attributeType="Integer 32"/></entity>
        """
    private static let new = """
        <entity name="Annex"/><entity name="Book"><attribute name="pages" optional="YES" attributeType="Double"/><attribute \
        name="title" optional="YES" attributeType="String"/></entity>
        """

    /// A store, a model with the next version, and the arguments for migrating it.
    private struct Scene {
        let scratch: StoreScratch
        let original: Data
        let arguments: [String]
        /// The hashes of the old and the new version.
        let hashes: [EntityVersionHashes]

        var store: URL { scratch.url("a.sqlite") }

        /// - Parameter isMapped: Whether a mapping model is used, so that the rows are copied one by one.
        init(isMapped: Bool) throws {
            scratch = try StoreScratch()
            try scratch.writeVersions([KilledMigrationTests.old, KilledMigrationTests.new])
            try scratch.writeModel(KilledMigrationTests.old, to: "Old.xcdatamodel")
            try scratch.writeModel(KilledMigrationTests.new, to: "New.xcdatamodel")
            #expect(scratch.make("Old.xcdatamodel", rows: KilledMigrationTests.rows) == 0)
            if isMapped {
                #expect(
                    try scratch.modelc(
                        "migrate", "scaffold", "Books.xcdatamodeld", "V1", "V2", "-o", "Map.xcmappingmodel"))
            }
            original = try Data(contentsOf: scratch.url("a.sqlite"))
            let scratch = scratch
            hashes = try ["Old", "New"].map {
                try #require(try scratch.model("\($0).xcdatamodel")).versionHashes().entities
            }
            arguments =
                ["migrate", "a.sqlite", "--to", "Books.xcdatamodeld"]
                + (isMapped ? ["--mapping", "Map.xcmappingmodel"] : [])
        }

        func restore() throws {
            for suffix in ["-wal", "-shm", "-journal"] {
                try? FileManager.default.removeItem(atPath: store.path + suffix)
            }
            try original.write(to: store)
        }

        /// Checks that the store is intact, and returns whether it is the new one.
        func isMigrated() throws -> Bool {
            // SQLite rolls an unfinished transaction back when the file is opened.
            try scratch.execute("PRAGMA quick_check", in: "a.sqlite")
            let found = try StoreFile(path: store.path).hashes
            #expect(hashes.contains(found))
            #expect(try StoreRows(path: store.path).counts["Book"] == KilledMigrationTests.rows)
            return found == hashes[1]
        }
    }

    @Test(.randomized, arguments: [false, true]) func killedCommandsLeaveAWholeStore(isMapped: Bool) throws {
        var random = Seeds.generator()
        let scene = try Scene(isMapped: isMapped)
        let start = Date()
        let whole = try ToolProcess.run("modelc-store", scene.arguments, in: scene.scratch.folder)
        #expect(whole.code == 0, "\(whole.errorOutput)")
        let duration = Date().timeIntervalSince(start)
        #expect(try scene.isMigrated())
        var migrated = 0
        for _ in 0..<Self.kills {
            try scene.restore()
            let process = Process()
            process.executableURL = ToolProcess.url("modelc-store")
            process.arguments = scene.arguments
            process.currentDirectoryURL = scene.scratch.folder
            (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
            try process.run()
            Thread.sleep(forTimeInterval: .random(in: 0...duration * 1.1, using: &random))
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            if try scene.isMigrated() { migrated += 1 }
        }
        if Self.kills > 4 { print("killed commands: \(Self.kills - migrated) old stores, \(migrated) new ones") }
    }

    @Test(arguments: [false, true]) func fullDiskLeavesTheOldStore(isMapped: Bool) throws {
        let scene = try Scene(isMapped: isMapped)
        let size = scene.original.count / 1024
        for (kilobytes, isEnough) in [(8, false), (size / 2, nil), (size * 5 / 4, nil), (1 << 20, true)] {
            try scene.restore()
            let result = try ToolProcess.run(
                "modelc-store", scene.arguments, in: scene.scratch.folder, kilobytes: kilobytes)
            #expect(isEnough == nil || isEnough == (result.code == 0), "\(kilobytes): \(result.errorOutput)")
            #expect(try scene.isMigrated() == (result.code == 0))
            guard result.code != 0 else { continue }
            #expect(result.code == 1)
            #expect(result.errorOutput.contains("(1341"), "\(result.errorOutput)")
            #expect(result.errorOutput.contains("The store was not changed."))
            let names = try scene.scratch.files().keys
            #expect(!names.contains { $0.contains("migrationdestination") }, "\(names.sorted())")
        }
    }
}
