// swift-format-ignore-file
import Foundation
import Observation
import SwiftData

// The model layer of a podcast app: inheritance, compound constraints and indexes, queries in batches.

@available(iOS 26, macOS 26, *)
@Model
public class MediaItem {
    #Unique<MediaItem>([\.feedURL, \.guid])
    #Index<MediaItem>([\.publishedAt], [\.feedURL, \.publishedAt], [\.playbackState])

    public var guid: String
    public var feedURL: String
    @Attribute(.preserveValueOnDeletion) public var title: String
    public var publishedAt: Date
    public private(set) var playCount: Int = 0
    var playbackState: PlaybackState = PlaybackState.unplayed
    @Attribute(.spotlight) public var summary: String?
    @Relationship(deleteRule: .nullify, inverse: \Playlist.items) public var playlists: [Playlist] = []
    @Relationship(deleteRule: .cascade, minimumModelCount: 0, maximumModelCount: 5, inverse: \Bookmark.item)
    public var bookmarks: [Bookmark] = []

    enum PlaybackState: Int, Codable, CaseIterable, Sendable, CustomStringConvertible {
        case unplayed, inProgress, played
        var description: String { switch self { case .unplayed: "new"; case .inProgress: "…"; case .played: "done" } }
    }

    public init(guid: String, feedURL: String, title: String, publishedAt: Date = .now, summary: String? = nil) {
        self.guid = guid
        self.feedURL = feedURL
        self.title = title
        self.publishedAt = publishedAt
        self.summary = summary
    }

    public func markPlayed() {
        playCount += 1
        playbackState = .played
    }

    /// Overridden by subclasses.
    public var subtitle: String { summary ?? "" }

    class func newest(_ limit: Int) -> FetchDescriptor<MediaItem> {
        var descriptor = FetchDescriptor<MediaItem>(sortBy: [SortDescriptor(\.publishedAt, order: .reverse)])
        descriptor.fetchLimit = limit
        descriptor.relationshipKeyPathsForPrefetching = [\.bookmarks, \.playlists]
        descriptor.propertiesToFetch = [\.title, \.publishedAt]
        return descriptor
    }
}

@available(iOS 26, macOS 26, *)
@Model
public final class Episode: MediaItem {
    public var season: Int
    public var number: Int?
    public var chapters: [String] = []
    var enclosure: Enclosure?
    public var show: Show?

    struct Enclosure: Codable, Hashable, Sendable {
        var url: URL
        var length: Int64
        var mimeType: String = "audio/mpeg"
    }

    public init(guid: String, feedURL: String, title: String, season: Int = 1, number: Int? = nil, publishedAt: Date = .now) {
        self.season = season
        self.number = number
        super.init(guid: guid, feedURL: feedURL, title: title, publishedAt: publishedAt)
    }

    public override var subtitle: String { "S\(season)E\(number ?? 0) – \(show?.name ?? "?")" }
}

@available(iOS 26, macOS 26, *)
@Model
public final class Trailer: MediaItem {
    var length: TimeInterval = 30
    convenience init(for show: Show) {
        self.init(guid: "trailer-\(show.name)", feedURL: show.feedURL, title: "Trailer of \(show.name)")
        length = 45
    }
    public override init(guid: String, feedURL: String, title: String, publishedAt: Date = .now, summary: String? = nil) {
        super.init(guid: guid, feedURL: feedURL, title: title, publishedAt: publishedAt, summary: summary)
    }
}

@available(iOS 26, macOS 26, *)
@Model
public final class Show {
    @Attribute(.unique) public var feedURL: String
    public var name: String
    public var language: String
    @Relationship(deleteRule: .cascade, inverse: \Episode.show) public var episodes: [Episode] = []
    var lastRefresh: Date?
    var settings: Settings = Settings()

    struct Settings: Codable, Equatable {
        var autoDownload = false
        var keep: Int = 10
        var speed: Float = 1.0
    }

    public init(feedURL: String, name: String, language: String = "en") {
        self.feedURL = feedURL
        self.name = name
        self.language = language
    }
}

@available(iOS 26, macOS 26, *)
@Model
public final class Playlist {
    public var name: String
    public var items: [MediaItem]
    var rule: SmartRule?
    var createdAt: Date = Date()

    indirect enum SmartRule: Codable, Equatable {
        case titleContains(String)
        case newerThan(days: Int)
        case all([SmartRule])
        case not(SmartRule)
    }

    public init(name: String, items: [MediaItem] = []) {
        self.name = name
        self.items = items
    }
}

@available(iOS 26, macOS 26, *)
@Model
public final class Bookmark {
    public var position: TimeInterval
    public var note: String
    public var item: MediaItem?
    public init(at position: TimeInterval, note: String = "", item: MediaItem? = nil) {
        self.position = position
        self.note = note
        self.item = item
    }
}

// MARK: - Repository

protocol Repository {
    associatedtype Entity: PersistentModel
    var context: ModelContext { get }
}

extension Repository {
    func page(_ number: Int, size: Int, sortedBy sort: [SortDescriptor<Entity>], where predicate: Predicate<Entity>? = nil) throws -> [Entity] {
        var descriptor = FetchDescriptor<Entity>(predicate: predicate, sortBy: sort)
        descriptor.fetchOffset = number * size
        descriptor.fetchLimit = size
        return try context.fetch(descriptor)
    }

    func ids(where predicate: Predicate<Entity>? = nil) throws -> Set<PersistentIdentifier> {
        Set(try context.fetchIdentifiers(FetchDescriptor(predicate: predicate)))
    }

    func batches(of size: Int, where predicate: Predicate<Entity>? = nil, sortBy: [SortDescriptor<Entity>] = []) throws -> FetchResultsCollection<Entity> {
        var descriptor = FetchDescriptor<Entity>(predicate: predicate, sortBy: sortBy)
        descriptor.includePendingChanges = false
        return try context.fetch(descriptor, batchSize: size)
    }

    subscript(_ id: Entity.ID) -> Entity? where Entity.ID == PersistentIdentifier { context.registeredModel(for: id) }
}

struct MediaRepository: Repository {
    typealias Entity = MediaItem
    let context: ModelContext
}

struct EpisodeRepository: Repository {
    typealias Entity = Episode
    let context: ModelContext
}

@Observable
@MainActor
final class LibraryModel {
    private let container: ModelContainer
    private(set) var episodes: [Episode] = []
    var searchText = "" { didSet { try? reload() } }

    init(container: ModelContainer) { self.container = container }

    var context: ModelContext { container.mainContext }

    func reload() throws {
        let text = searchText
        let predicate: Predicate<Episode> = text.isEmpty ? .true : #Predicate { episode in
            episode.title.localizedStandardContains(text) || (episode.show?.name.localizedStandardContains(text) ?? false)
        }
        episodes = try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [.init(\.season), .init(\.number), .init(\.title, comparator: .localizedStandard)]))
    }
}
