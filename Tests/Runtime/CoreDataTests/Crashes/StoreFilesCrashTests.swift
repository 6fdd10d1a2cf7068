import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreData

/// The files of stores after a program that copies, replaces or destroys one, or saves to two, was killed at any write,
/// rename and removal, or the power failed there.
///
/// `MODELC_CRASH_POINTS` is the number of power failures for each operation in the long form, `MODELC_CRASH_SEED` the
/// seed of the first.
@Suite(.serialized) struct StoreFilesCrashTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let points = Int(environment["MODELC_CRASH_POINTS"] ?? "") ?? 30
    private static let seed = UInt64(environment["MODELC_CRASH_SEED"] ?? "") ?? 1

    private static func model() -> NSManagedObjectModel {
        SmallModel.model([
            SmallModel.entity(
                "Photo",
                [
                    SmallModel.attribute("number", .integer64AttributeType),
                    SmallModel.attribute("data", .binaryDataAttributeType) {
                        $0.allowsExternalBinaryDataStorage = true
                    },
                ])
        ])
    }

    private static func open(_ url: URL, _ model: NSManagedObjectModel = model()) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [NSSQLitePragmasOption: ["synchronous": "OFF"]])
        return try Library.context(coordinator)
    }

    /// Returns the content of a store; nil if there is none.
    private static func content(_ url: URL) throws -> [String]? {
        guard let size = FileManager.default.contents(atPath: url.path)?.count, size > 0 else { return nil }
        let context = try open(url)
        defer { try? TestStore.close(context) }
        return try context.performAndWait {
            try context.all("Photo", by: "number").map { photo in
                let data = photo.value(forKey: "data") as? Data
                return "\(photo.value(forKey: "number") ?? "nil"): \(data?.count ?? -1) × \(data?.first ?? 0)"
            }
        }
    }

    /// Makes a store whose last save is in its log, as a killed program leaves it.
    private static func make(_ url: URL, _ numbers: ClosedRange<Int>) throws {
        let scratch = try TestFolder()
        let first = scratch.url.appendingPathComponent(url.lastPathComponent)
        let context = try open(first)
        try context.performAndWait {
            for number in numbers {
                _ = context.make(
                    "Photo", ["number": number, "data": Data(repeating: UInt8(number), count: 110_000 + number)])
                try context.save()
            }
        }
        let manager = FileManager.default
        for name in try manager.contentsOfDirectory(atPath: scratch.url.path) where !name.hasSuffix("-shm") {
            let target = url.deletingLastPathComponent().appendingPathComponent(name)
            if name.hasPrefix("."), manager.fileExists(atPath: target.path) {
                // Stores whose names differ only in the extension share the folder.
                for file in try manager.contentsOfDirectory(atPath: "\(scratch.url.path)/\(name)/_EXTERNAL_DATA") {
                    try manager.copyItem(
                        atPath: "\(scratch.url.path)/\(name)/_EXTERNAL_DATA/\(file)",
                        toPath: "\(target.path)/_EXTERNAL_DATA/\(file)")
                }
            } else {
                try manager.copyItem(at: scratch.url.appendingPathComponent(name), to: target)
            }
        }
        try TestStore.close(context)
    }

    enum Work: CaseIterable { case replace, create, destroy }

    @Test(arguments: Work.allCases) func wholeStoresSurviveKills(_ work: Work) throws {
        let folder = try TestFolder()
        let (source, target, sibling) = (
            folder.url.appendingPathComponent("Source.sqlite"), folder.url.appendingPathComponent("Target.sqlite"),
            folder.url.appendingPathComponent("Target.other")
        )
        try Self.make(source, 1...2)
        if work != .create { try Self.make(target, 3...5) }
        try Self.make(sibling, 6...7)
        let old = work == .create ? nil : (3...5).map { "\($0): \(110_000 + $0) × \($0)" }
        let new = work == .destroy ? nil : (1...2).map { "\($0): \(110_000 + $0) × \($0)" }
        let others = (6...7).map { "\($0): \(110_000 + $0) × \($0)" }

        let recorder = CrashRecorder(folder.url)
        try recorder.adopt()
        let start = recorder.operations.count
        let vfs = try #require(CrashVFS(recorder))
        let options: [AnyHashable: Any] = [SQLiteOptions.vfsOption: vfs.name, SQLiteOptions.diskOption: recorder]
        try Self.run(work, source, target, options)
        withExtendedLifetime(vfs) {}
        #expect(try Self.content(target) == new && Self.content(sibling) == others)

        var disk = CrashDisk()
        let steps = recorder.operations.count - start
        #expect(steps > 5)
        for (index, operation) in recorder.operations.enumerated() {
            disk.perform(operation)
            guard index >= start - 1 else { continue }
            var states = [disk.kill()]
            let failures = max(1, Self.points / steps)
            for number in 0..<failures {
                var random = SeededGenerator(seed: Self.seed &+ UInt64(index * 1000 + number))
                states.append(disk.crash(&random))
            }
            for (number, state) in states.enumerated() {
                let position =
                    "\(work), operation \(index - start + 1) of \(steps), \(number == 0 ? "kill" : "seed \(Self.seed)")"
                do {
                    let copy = try Self.restore(state)
                    let (target, sibling) = (
                        copy.url.appendingPathComponent("Target.sqlite"),
                        copy.url.appendingPathComponent("Target.other")
                    )
                    let found = try Self.content(target)
                    #expect(found == old || found == new, "\(position): \(found as Any)")
                    #expect(try Self.content(sibling) == others, "\(position)")
                    #expect(try Self.content(copy.url.appendingPathComponent("Source.sqlite")) != nil, "\(position)")
                    if work == .destroy, found == nil {
                        // A new store at the path finishes the removal.
                        let again = try Self.restore(state)
                        try TestStore.close(Self.open(again.url.appendingPathComponent("Target.sqlite")))
                        #expect(Self.externalFiles(again.url).count == others.count, "\(position)")
                    }
                    // The work can be done again, and leaves nothing behind.
                    try Self.run(work, copy.url.appendingPathComponent("Source.sqlite"), target, [:])
                    #expect(try Self.content(target) == new, "\(position)")
                    #expect(try Self.content(sibling) == others, "\(position)")
                    let leftovers = try FileManager.default.contentsOfDirectory(atPath: copy.url.path)
                        .filter { $0.hasPrefix(".replacement") || $0.hasPrefix(".removal") }
                    #expect(leftovers.isEmpty, "\(position): \(leftovers)")
                    #expect(
                        Self.externalFiles(copy.url).count == others.count + (new?.count ?? 0), "\(position)")
                } catch {
                    Issue.record("\(position): \(error)")
                }
            }
        }
    }

    /// Returns the names of the external files in the folder that the target shares with the store beside it.
    private static func externalFiles(_ folder: URL) -> [String] {
        (try? FileManager.default.contentsOfDirectory(
            atPath: folder.appendingPathComponent(".Target_SUPPORT/_EXTERNAL_DATA").path)) ?? []
    }

    private static func run(_ work: Work, _ source: URL, _ target: URL, _ options: [AnyHashable: Any]) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
        if work == .destroy {
            try coordinator.destroyPersistentStore(at: target, ofType: NSSQLiteStoreType, options: options)
        } else {
            try coordinator.replacePersistentStore(
                at: target, destinationOptions: options, withPersistentStoreFrom: source, ofType: NSSQLiteStoreType)
        }
    }

    private static func restore(_ files: [String: [UInt8]?]) throws -> TestFolder {
        let folder = try TestFolder()
        for (path, content) in files.sorted(by: { $0.key < $1.key }) {
            let url = folder.url.appendingPathComponent(path)
            if let content {
                try Data(content).write(to: url)
            } else {
                try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            }
        }
        return folder
    }

    // MARK: Two stores

    /// After a kill, each of two stores that are saved together has whole saves, and both the same except between the
    /// two commits.
    @Test func savesOfTwoStoresAreWhole() throws {
        let folder = try TestFolder()
        let model = SmallModel.twoConfigurations()
        let recorder = CrashRecorder(folder.url)
        let vfs = try #require(CrashVFS(recorder))
        func stack(_ folder: URL, _ options: [AnyHashable: Any]) throws -> NSManagedObjectContext {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            for name in ["one", "two"] {
                try coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType, configurationName: name, at: folder.appendingPathComponent(name),
                    options: options)
            }
            return try Library.context(coordinator)
        }
        func numbers(_ context: NSManagedObjectContext) throws -> [[Int]] {
            try context.performAndWait {
                try ["Note", "Page"].map { entity in
                    try context.all(entity, by: "number").compactMap { $0.value(forKey: "number") as? Int }
                }
            }
        }
        let context = try stack(
            folder.url,
            [
                SQLiteOptions.vfsOption: vfs.name, SQLiteOptions.diskOption: recorder,
                NSSQLitePragmasOption: ["synchronous": "FULL", "wal_autocheckpoint": "8"],
            ])
        let saves = 6
        let start = recorder.operations.count
        try context.performAndWait {
            for number in 1...saves {
                recorder.record(.begin(number))
                _ = context.make("Note", ["number": number])
                _ = context.make("Page", ["number": number, "name": "\(number)"])
                try context.save()
                recorder.record(.acknowledge(number))
            }
        }
        let operations = recorder.operations
        var disk = CrashDisk()
        let failures = max(1, Self.points / (operations.count - start))
        for (index, operation) in operations.enumerated() {
            disk.perform(operation)
            guard index >= start else { continue }
            var states = [disk.kill()]
            for number in 0..<failures {
                var random = SeededGenerator(seed: Self.seed &+ UInt64(index * 1000 + number))
                states.append(disk.crash(&random))
            }
            for (number, state) in states.enumerated() {
                let position = "operation \(index), \(number == 0 ? "kill" : "seed \(Self.seed)")"
                do {
                    let copy = try Self.restore(state)
                    let again = try stack(copy.url, [NSSQLitePragmasOption: ["synchronous": "OFF"]])
                    let found = try numbers(again)
                    for list in found {
                        #expect(list == Array(0..<list.count).map { $0 + 1 }, "\(position): \(found)")
                        #expect(list.count >= disk.acknowledged && list.count <= disk.begun, "\(position): \(found)")
                    }
                    try TestStore.close(again)
                } catch {
                    Issue.record("\(position): \(error)")
                }
            }
        }
        try TestStore.close(context)
        withExtendedLifetime(vfs) {}
    }
}
