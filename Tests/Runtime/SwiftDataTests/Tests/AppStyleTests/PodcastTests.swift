// swift-format-ignore-file
import Foundation
import SwiftData
import Testing

@Suite struct PodcastTests {
    private let container: ModelContainer
    private let context: ModelContext

    init() throws {
        let schema = Schema([MediaItem.self, Episode.self, Trailer.self, Show.self, Playlist.self, Bookmark.self], version: .init(2, 0, 0))
        container = try ModelContainer(for: schema, configurations: ModelConfiguration(schema: schema, isStoredInMemoryOnly: true))
        context = ModelContext(container)
    }

    private func date(_ days: Double) -> Date { Date(timeIntervalSinceReferenceDate: days * 86400) }

    @discardableResult
    private func seed(_ count: Int = 30) throws -> Show {
        let show = Show(feedURL: "f", name: "Swift Talk")
        context.insert(show)
        for index in 0..<count {
            let episode = Episode(guid: "g\(index)", feedURL: "f", title: "Episode \(index)", season: index / 10 + 1, number: index % 10, publishedAt: date(Double(index)))
            episode.show = show
        }
        context.insert(Trailer(for: show))
        try context.save()
        return show
    }

    @Test func castsInPredicates() throws {
        let show = try seed()
        #expect(show.episodes.count == 30)
        let ofSeason = #Predicate<MediaItem> { item in
            if let episode = item as? Episode { episode.season == 2 && episode.number == 3 } else { false }
        }
        #expect(try context.fetch(FetchDescriptor(predicate: ofSeason)).map(\.title) == ["Episode 13"])
        #expect(try context.fetchCount(FetchDescriptor<MediaItem>(predicate: #Predicate { $0 is Trailer })) == 1)
        #expect(try context.fetchCount(FetchDescriptor<MediaItem>(predicate: #Predicate { !($0 is Trailer) })) == 30)
        let short = #Predicate<MediaItem> { ($0 as? Trailer)?.length == 45 }
        #expect(try context.fetch(FetchDescriptor(predicate: short)).map(\.subtitle) == [""])
        let either = #Predicate<MediaItem> { item in
            item.title.contains("Trailer") || ((item as? Episode)?.season ?? 0) > 2
        }
        #expect(try context.fetchCount(FetchDescriptor(predicate: either)) == 11)
        let byShow = #Predicate<MediaItem> { ($0 as? Episode)?.show?.name == "Swift Talk" }
        #expect(try context.fetchCount(FetchDescriptor(predicate: byShow)) == 30)
        let first = try #require(try context.fetch(FetchDescriptor<Episode>(sortBy: [SortDescriptor(\.publishedAt)])).first)
        #expect(first.subtitle == "S1E0 – Swift Talk")
        first.markPlayed()
        let state = MediaItem.PlaybackState.played
        #expect(try context.fetch(FetchDescriptor<MediaItem>(predicate: #Predicate { $0.playbackState == state })) == [first])
        #expect(try context.fetch(FetchDescriptor<Episode>(predicate: #Predicate { $0.playbackState == state })) == [first])
    }

    @Test func playlistsOfSubclasses() throws {
        try seed()
        let items = try context.fetch(MediaItem.newest(3))
        #expect(items.first is Trailer && items.count == 3)
        let list = Playlist(name: "p", items: items)
        list.rule = .all([.titleContains("x"), .not(.newerThan(days: 3))])
        context.insert(list)
        items[1].bookmarks = [Bookmark(at: 1), Bookmark(at: 2, note: "n")]
        try context.save()
        let other = ModelContext(container)
        let again = try #require(try other.fetch(FetchDescriptor<Playlist>()).first)
        #expect(again.items.count == 3 && again.items.contains { $0 is Trailer })
        #expect(again.rule == .all([.titleContains("x"), .not(.newerThan(days: 3))]))
        #expect(again.items.compactMap { $0 as? Episode }.flatMap(\.bookmarks).count == 2)
        let marked = #Predicate<Playlist> { $0.items.contains { $0.bookmarks.contains { $0.position > 1 } } }
        #expect(try other.fetchCount(FetchDescriptor(predicate: marked)) == 1)
        let typed = #Predicate<Playlist> { $0.items.contains { $0 is Trailer } }
        #expect(try other.fetchCount(FetchDescriptor(predicate: typed)) == 1)
        let position = #Predicate<Bookmark> { ($0.item as? Episode)?.season == 3 }
        #expect(try other.fetchCount(FetchDescriptor(predicate: position)) == 2)
    }

    @Test func twoValuesTogetherIdentifyAnEpisode() throws {
        try seed(3)
        let again = Episode(guid: "g1", feedURL: "f", title: "Renamed", season: 9)
        context.insert(again)
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Episode>()) == 3)
        let guid = "g1"
        #expect(try ModelContext(container).fetch(FetchDescriptor<Episode>(predicate: #Predicate { $0.guid == guid })).map(\.title) == ["Renamed"])
        context.insert(Episode(guid: "g1", feedURL: "other", title: "Other"))
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Episode>()) == 4)
    }

    @Test func repositoriesReadPagesAndBatches() throws {
        try seed()
        let media = MediaRepository(context: context)
        let episodes = EpisodeRepository(context: context)
        let sort = [SortDescriptor(\Episode.season, order: .reverse), SortDescriptor(\Episode.number)]
        #expect(try episodes.page(1, size: 4, sortedBy: sort).map(\.title) == ["Episode 24", "Episode 25", "Episode 26", "Episode 27"])
        #expect(try media.ids().count == 31)
        let batches = try episodes.batches(of: 7, sortBy: [SortDescriptor(\.publishedAt)])
        #expect(batches.count == 30 && batches.startIndex == 0 && !batches.isEmpty)
        #expect(batches.first?.title == "Episode 0" && batches.last?.title == "Episode 29")
        #expect(batches[8...10].map(\.title) == ["Episode 8", "Episode 9", "Episode 10"])
        #expect(batches.reversed().first?.title == "Episode 29")
        #expect(batches.lazy.filter { $0.season == 2 }.map(\.title).count == 10)
        let first = try #require(batches.first)
        let id = first.persistentModelID
        #expect(episodes[id] === first)
        var descriptor = FetchDescriptor<Episode>(sortBy: [SortDescriptor(\.publishedAt, order: .reverse)])
        descriptor.includePendingChanges = false
        let ids = try context.fetchIdentifiers(descriptor, batchSize: 10)
        #expect(ids.count == 30 && Set(ids).count == 30)
        #expect((context.model(for: ids[0]) as? Episode)?.title == "Episode 29")
        #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) {
            try context.fetchIdentifiers(FetchDescriptor<Episode>(), batchSize: 10)
        }
        #expect { try context.fetch(FetchDescriptor<Episode>(), batchSize: 10) } throws: { error in
            if case SwiftDataError.includePendingChangesWithBatchSize = error { true } else { false }
        }
        var titles: [String] = []
        try context.enumerate(FetchDescriptor<MediaItem>(sortBy: [SortDescriptor(\.publishedAt)]), batchSize: 4) { titles.append($0.title) }
        #expect(titles.count == 31)
        try context.enumerate(FetchDescriptor<Episode>(), batchSize: 4, allowEscapingMutations: true) { $0.markPlayed() }
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Episode>(predicate: #Predicate { $0.playCount == 1 })) == 30)
    }

    @MainActor @Test func libraryModel() async throws {
        try seed()
        let model = LibraryModel(container: container)
        model.searchText = "talk"
        #expect(model.episodes.count == 30 && model.episodes.first?.title == "Episode 0")
        model.searchText = "episode 12"
        #expect(model.episodes.map(\.title) == ["Episode 12"])
        model.searchText = ""
        #expect(model.episodes.count == 30)
    }

    @Test func deletedSubclassesLeaveTombstones() throws {
        let show = try seed(2)
        let token = try #require(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.token)
        context.author = "cleaner"
        context.delete(show)
        try context.save()
        var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
        descriptor.predicate = #Predicate { $0.token > token && $0.author == "cleaner" }
        descriptor.fetchLimit = 1
        var titles: Set<String> = []
        for change in try context.fetchHistory(descriptor).flatMap(\.changes) {
            guard case .delete(let deletion) = change, let deletion = deletion as? any HistoryDelete<Episode> else { continue }
            if let title = deletion.tombstone[\.title] as? String { titles.insert(title) }
        }
        #expect(titles == ["Episode 0", "Episode 1"])
        #expect(try context.fetchCount(FetchDescriptor<MediaItem>()) == 1)
    }
}
