import Foundation
import SwiftData
import Testing

/// What rows of older versions have for new properties (Documentation/Formats/SwiftDataModel.md): the initial value.
@Suite struct InitialValueTests {
    @Test func newCollectionsAndStructuresGetTheirInitialValue() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let configuration = ModelConfiguration(url: folder.appendingPathComponent("tracks.store"))
        try {
            let context = ModelContext(
                try ModelContainer(for: Schema(versionedSchema: TracksV1.self), configurations: configuration))
            context.insert(TracksV1.Track(title: "a"))
            try context.save()
        }()
        for _ in 0..<2 {
            let context = ModelContext(
                try ModelContainer(for: Schema(versionedSchema: TracksV2.self), configurations: configuration))
            let track = try #require(try context.fetch(FetchDescriptor<TracksV2.Track>()).first)
            #expect(track.title == "a" && track.tags.isEmpty && track.ratings == [1, 2])
            #expect(track.marks == [.init(second: 3, text: "x")] && track.counts == ["a": 1])
        }
    }
}

enum TracksV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Track.self] }

    @Model final class Track {
        var title: String
        init(title: String) { self.title = title }
    }
}

enum TracksV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Track.self] }

    @Model final class Track {
        struct Mark: Codable, Hashable {
            var second: Int
            var text: String
        }

        var title: String
        var tags: [String] = []
        var ratings: [Int] = [1, 2]
        var marks: [Mark] = [Mark(second: 3, text: "x")]
        var counts: [String: Int] = ["a": 1]
        init(title: String) { self.title = title }
    }
}
