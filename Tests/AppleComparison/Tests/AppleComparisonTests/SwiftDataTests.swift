#if SWIFTDATA
import CoreData
import Foundation
import SwiftData
import Testing

/// Apple's SwiftData computes the version hashes that modelc computes from the sources.
@Suite struct SwiftDataTests {
    @available(macOS 14, *)
    @Test func storesHaveTheVersionHashes() throws {
        try ComparisonTable.shared.record("SwiftData: Note.swift") {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let url = folder.appendingPathComponent("Notes.store")
            _ = try ModelContainer(for: Note.self, Label.self, configurations: ModelConfiguration(url: url))
            let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: NSSQLiteStoreType, at: url, options: nil)
            let found = (metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]).mapValues(\.hexadecimal)
            let expected = try Fixtures.hashes("Note.hashes.json").values.first ?? [:]
            for entity in Set(found.keys).union(expected.keys).sorted() where found[entity] != expected[entity] {
                throw Difference(description: "the hash of “\(entity)” is \(found[entity] ?? "missing")")
            }
        }
    }
}
#endif
