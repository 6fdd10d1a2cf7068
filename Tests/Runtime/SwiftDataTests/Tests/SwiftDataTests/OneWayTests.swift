import SwiftData
import Testing

/// Relationships with `inverse: nil`, which have no inverse, also if there is a candidate.
@Suite struct OneWayTests {
    @Test func noInverseIsInferred() throws {
        let entities = Schema([Poster.self]).entitiesByName
        let ends = [("Poster", "artist"), ("Artist", "posters"), ("Artist", "favorite"), ("Poster", "owners")]
        let inverses = ends.map { entities[$0.0]?.relationshipsByName[$0.1]?.inverseName }
        #expect(inverses == [nil, nil, "owners", "favorite"])
        let container = try makeContainer(Poster.self)
        let context = ModelContext(container)
        let (poster, artist) = (Poster(), Artist())
        context.insert(poster)
        context.insert(artist)
        poster.artist = artist
        #expect(artist.posters.isEmpty)
        artist.favorite = poster
        #expect(poster.owners == [artist])
        try context.save()
        #expect(try ModelContext(context.container).fetch(FetchDescriptor<Artist>()).first?.posters.isEmpty == true)
    }
}

@Model final class Poster {
    @Relationship(inverse: nil) var artist: Artist?
    @Relationship(inverse: \Artist.favorite) var owners: [Artist] = []

    init() {}
}

@Model final class Artist {
    var posters: [Poster] = []
    var favorite: Poster?

    init() {}
}
