import CoreData
import Foundation
import Testing

@testable import CoreData

/// Modes and neighbors of stores that are copied, replaced and destroyed. `StoreFilesCrashTests` kills these
/// operations.
@Suite struct StoreFilesTests {
    private static func model() -> NSManagedObjectModel {
        SmallModel.model([
            SmallModel.entity(
                "Photo",
                [SmallModel.attribute("data", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = true }])
        ])
    }

    private func make(_ url: URL, _ byte: UInt8) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        let context = try Library.context(coordinator)
        try context.performAndWait {
            _ = context.make("Photo", ["data": Data(repeating: byte, count: 150_000)])
            try context.save()
        }
        try coordinator.remove(store)
    }

    private func bytes(_ url: URL) throws -> [UInt8?] {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        defer { try? coordinator.remove(store) }
        let context = try Library.context(coordinator)
        return try context.performAndWait {
            try context.all("Photo").map { ($0.value(forKey: "data") as? Data)?.first }
        }
    }

    private func deleteAll(_ url: URL) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model())
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        let context = try Library.context(coordinator)
        try context.performAndWait {
            for photo in try context.all("Photo") { context.delete(photo) }
            try context.save()
        }
        try coordinator.remove(store)
    }

    private func mode(_ url: URL) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? NSNumber)
            .intValue
    }

    private let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())

    @Test func copiesHaveTheModeOfTheirSource() throws {
        let folder = try TestFolder()
        let (source, copy) = (
            folder.url.appendingPathComponent("Source.sqlite"), folder.url.appendingPathComponent("Copy.sqlite")
        )
        try make(source, 1)
        let support = folder.url.appendingPathComponent(".Source_SUPPORT")
        chmod(source.path, 0o600)
        chmod(support.path, 0o700)
        try coordinator.replacePersistentStore(at: copy, withPersistentStoreFrom: source, ofType: NSSQLiteStoreType)
        #expect(try mode(copy) == 0o600)
        #expect(try mode(folder.url.appendingPathComponent(".Copy_SUPPORT")) == 0o700)
        #expect(try bytes(copy) == [1])
        // A file that is replaced keeps its mode.
        chmod(copy.path, 0o640)
        chmod(source.path, 0o644)
        try coordinator.replacePersistentStore(at: copy, withPersistentStoreFrom: source, ofType: NSSQLiteStoreType)
        #expect(try mode(copy) == 0o640)
        try coordinator.destroyPersistentStore(at: copy, ofType: NSSQLiteStoreType)
        #expect(try mode(copy) == 0o640)
        #expect(try bytes(source) == [1])
    }

    @Test(arguments: [true, false]) func neighborsKeepTheirExternalFiles(_ replaces: Bool) throws {
        let folder = try TestFolder()
        let urls = ["default.sqlite", "default.store", "other.sqlite"].map(folder.url.appendingPathComponent)
        for (number, url) in urls.enumerated() { try make(url, UInt8(number + 1)) }
        if replaces {
            try coordinator.replacePersistentStore(
                at: urls[1], withPersistentStoreFrom: urls[2], ofType: NSSQLiteStoreType)
        } else {
            try coordinator.destroyPersistentStore(at: urls[1], ofType: NSSQLiteStoreType)
        }
        #expect(try bytes(urls[0]) == [1])
        #expect(try bytes(urls[1]) == (replaces ? [3] : []))
        let files = try FileManager.default.contentsOfDirectory(
            atPath: folder.url.appendingPathComponent(".default_SUPPORT/_EXTERNAL_DATA").path)
        #expect(files.count == (replaces ? 2 : 1))
        // A copy beside its original shares the files.
        try coordinator.replacePersistentStore(at: urls[1], withPersistentStoreFrom: urls[0], ofType: NSSQLiteStoreType)
        try coordinator.destroyPersistentStore(at: urls[0], ofType: NSSQLiteStoreType)
        #expect(try bytes(urls[1]) == [1])
        try coordinator.destroyPersistentStore(at: urls[1], ofType: NSSQLiteStoreType)
        #expect(!FileManager.default.fileExists(atPath: folder.url.appendingPathComponent(".default_SUPPORT").path))
    }

    /// What a killed removal of a store has left is not that of a store whose name is the end of its name.
    @Test func leftoversOfANeighborStay() throws {
        let folder = try TestFolder()
        let url = folder.url.appendingPathComponent("Model.sqlite")
        try make(url, 1)
        let names = [".removal-", ".replacement-"].map { "\($0)\(UUID().uuidString).Backup.Model.sqlite" }
        for name in names { try Data().write(to: folder.url.appendingPathComponent(name)) }
        #expect(try bytes(url) == [1])
        try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(Set(names).isSubset(of: left), "\(left)")
    }

    /// A copy beside its original refers to the same files, which stay until both have dropped them.
    @Test func sharedExternalFilesStayUntilTheirLastStoreDropsThem() throws {
        let folder = try TestFolder()
        let urls = ["default.sqlite", "default.store"].map(folder.url.appendingPathComponent)
        for (number, url) in urls.enumerated() { try make(url, UInt8(number + 1)) }
        try coordinator.replacePersistentStore(at: urls[1], withPersistentStoreFrom: urls[0], ofType: NSSQLiteStoreType)
        try deleteAll(urls[1])
        #expect(try bytes(urls[1]) == [])
        #expect(try bytes(urls[0]) == [1])
        let files = folder.url.appendingPathComponent(".default_SUPPORT/_EXTERNAL_DATA").path
        #expect(try FileManager.default.contentsOfDirectory(atPath: files).count == 1)
        try deleteAll(urls[0])
        #expect(try FileManager.default.contentsOfDirectory(atPath: files) == [])
    }

    /// The files of a store stay while it is uncertain whether another store refers to them.
    @Test func externalFilesStayWhileAStoreBesideThemIsUnreadable() throws {
        let folder = try TestFolder()
        let urls = ["default.sqlite", "default.store"].map(folder.url.appendingPathComponent)
        try make(urls[0], 1)
        try Data("SQLite format 3\u{0} and no database".utf8).write(to: urls[1])
        try deleteAll(urls[0])
        let files = folder.url.appendingPathComponent(".default_SUPPORT/_EXTERNAL_DATA").path
        #expect(try FileManager.default.contentsOfDirectory(atPath: files).count == 1)
        try FileManager.default.removeItem(at: urls[1])
        #expect(try bytes(urls[0]) == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: files) == [])
    }

    /// A disk whose n-th operation fails.
    private final class FailingDisk: StoreDisk, @unchecked Sendable {
        var rest: Int

        init(_ rest: Int) { self.rest = rest }

        private func count() throws {
            rest -= 1
            if rest == 0 { throw POSIXError(.ENOSPC) }
        }

        override func createFile(_ url: URL, mode: mode_t?) throws {
            try count()
            try super.createFile(url, mode: mode)
        }

        override func copy(_ file: URL, to url: URL) throws {
            try count()
            try super.copy(file, to: url)
        }

        override func rename(_ file: URL, _ url: URL) throws {
            try count()
            try super.rename(file, url)
        }
    }

    /// A connection that reads an older state keeps the log from being moved into the file. A failure of any step must
    /// not lose what the log has.
    @Test(arguments: [true, false]) func failuresBesideAReaderLoseNoCommit(_ replaces: Bool) throws {
        var step = 1
        while true {
            let folder = try TestFolder()
            let (source, target) = (
                folder.url.appendingPathComponent("Source.sqlite"), folder.url.appendingPathComponent("Target.sqlite")
            )
            try make(source, 1)
            try make(target, 2)
            let reader = try TestDatabase(path: target.path)
            try reader.run("BEGIN")
            #expect(try reader.rows("SELECT count(*) FROM ZPHOTO") == [["1"]])
            try make(target, 3)
            let disk = FailingDisk(step)
            let options: [AnyHashable: Any] = [SQLiteOptions.diskOption: disk, NSPersistentStoreTimeoutOption: 0.05]
            let error = nsError {
                if replaces {
                    try coordinator.replacePersistentStore(
                        at: target, destinationOptions: options, withPersistentStoreFrom: source,
                        ofType: NSSQLiteStoreType)
                } else {
                    try coordinator.destroyPersistentStore(at: target, ofType: NSSQLiteStoreType, options: options)
                }
            }
            let found = try bytes(target).compactMap { $0 }.sorted()
            #expect(try reader.rows("SELECT count(*) FROM ZPHOTO") == [["1"]])
            // The list of the files to remove is not needed without a kill.
            #expect(error == nil ? found == (replaces ? [1] : []) : found == [2, 3], "step \(step)")
            let lists = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
                .filter { $0.hasPrefix(".removal") }
            #expect(lists.isEmpty, "step \(step)")
            // No operation has failed.
            if disk.rest > 0 { break }
            step += 1
        }
        #expect(step > 3)
    }

    /// A failure of any step leaves the destination and its external files unchanged.
    @Test func failedReplacementsChangeNothing() throws {
        let folder = try TestFolder()
        let (source, target) = (
            folder.url.appendingPathComponent("Source.sqlite"), folder.url.appendingPathComponent("Target.sqlite")
        )
        try make(source, 1)
        try make(target, 2)
        // The empty log may be removed: nothing is in it.
        func listed() throws -> [String] {
            try FileManager.default.subpathsOfDirectory(atPath: folder.url.path).sorted().filter {
                !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm")
            }
        }
        let names = try listed()
        var step = 1
        while true {
            let disk = FailingDisk(step)
            let error = nsError {
                try coordinator.replacePersistentStore(
                    at: target, destinationOptions: [SQLiteOptions.diskOption: disk], withPersistentStoreFrom: source,
                    ofType: NSSQLiteStoreType)
            }
            guard error != nil else { break }
            #expect(try bytes(target) == [2], "step \(step)")
            #expect(try listed() == names, "step \(step)")
            step += 1
        }
        #expect(step > 3)
        #expect(try bytes(target) == [1])
    }
}
