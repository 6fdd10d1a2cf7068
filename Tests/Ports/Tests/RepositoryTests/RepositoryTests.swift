import CoreData
import XCTest

import Repository

final class RepositoryTests: XCTestCase {
    private var context: NSManagedObjectContext!

    override func setUpWithError() throws {
        let container = NSPersistentContainer(name: "Music", managedObjectModel: Music.model)
        container.persistentStoreDescriptions.first?.type = NSInMemoryStoreType
        container.loadPersistentStores { _, error in XCTAssertNil(error) }
        context = container.viewContext
    }

    func testTheClassIsFoundByItsObjectiveCName() throws {
        let object = NSEntityDescription.insertNewObject(forEntityName: "Album", into: context)
        XCTAssertTrue((object as? Album)?.isNew ?? false)
        XCTAssertEqual(Album.entity().name, "Album")
    }

    func testValidationMethodIsCalledAndMayReplaceTheValue() throws {
        let album = Album(context: context, name: "  Kind of Blue ")
        try context.save()
        XCTAssertEqual(album.name, "Kind of Blue")
        album.name = " "
        XCTAssertThrowsError(try context.save()) { XCTAssertEqual($0 as? RepositoryError, .emptyName) }
        var value: AnyObject? = "x " as NSString
        try album.validateValue(&value, forKey: "name")
        XCTAssertEqual(value as? String, "x")
    }

    func testRepository() throws {
        let album = Album(context: context, name: "Blue")
        for title in ["b", "A", "c"] {
            let track = Track(context: context)
            track.title = title
            track.album = album
        }
        try context.save()
        let repository = Repository<Track>(context)
        XCTAssertEqual(try repository.all(sortedBy: "title").map(\.title), ["A", "b", "c"])
        XCTAssertEqual(try repository.first(where: "title", is: "c")?.album?.tracks.count, 3)
    }

    func testAPropertyMayBeCalledLikeAPrimitiveValue() throws {
        let track = Track(context: context)
        XCTAssertEqual(track.primitiveScore, 7)
        track.score = 3
        track.primitiveScore = 9
        try context.save()
        context.refresh(track, mergeChanges: false)
        XCTAssertEqual(track.score, 3)
        XCTAssertEqual(track.primitiveScore, 9)
    }

    func testDependentKeys() {
        XCTAssertEqual(Track.keyPathsForValuesAffectingValue(forKey: "summary"), ["title", "length"])
    }
}
