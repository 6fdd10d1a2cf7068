import SwiftData
import Testing

/// Relationships without an inverse to models that another context or the store has deleted.
@Suite struct OneWayDeletionTests {
    private func makeContexts() throws -> (writer: ModelContext, reader: ModelContext, album: Album, picture: Picture) {
        let writer = ModelContext(try makeContainer(Album.self))
        writer.insert(Album())
        writer.insert(Picture())
        try writer.save()
        let reader = ModelContext(writer.container)
        let album = try #require(try reader.fetch(FetchDescriptor<Album>()).first)
        let picture = try #require(try reader.fetch(FetchDescriptor<Picture>()).first)
        _ = picture.caption
        return (writer, reader, album, picture)
    }

    private func expectSaved(_ context: ModelContext, _ album: Album) throws {
        try context.save()
        #expect(album.cover == nil && album.pictures.isEmpty)
        let stored = try #require(try ModelContext(context.container).fetch(FetchDescriptor<Album>()).first)
        #expect(stored.cover == nil && stored.pictures.isEmpty && stored.title == "changed")
    }

    @Test(arguments: [true, false]) func deletionsOfOtherContextsLeaveChangedModels(isBatch: Bool) throws {
        let (writer, reader, album, picture) = try makeContexts()
        album.title = "changed"
        album.cover = picture
        album.pictures = [picture]
        if isBatch {
            try writer.delete(model: Picture.self)
        } else {
            for picture in try writer.fetch(FetchDescriptor<Picture>()) { writer.delete(picture) }
            try writer.save()
        }
        #expect(try reader.fetch(FetchDescriptor<Picture>()).isEmpty)
        try expectSaved(reader, album)
    }

    @Test func deletionsByAConditionLeaveChangedModels() throws {
        let (_, context, album, picture) = try makeContexts()
        album.title = "changed"
        album.cover = picture
        album.pictures = [picture]
        try context.delete(model: Picture.self)
        try expectSaved(context, album)
    }
}
