import CoreData
import XCTest

@testable import Journal

final class JournalTests: XCTestCase {
    func testTags() throws {
        let store = try JournalStore(inMemory: true)
        let context = store.container.viewContext
        let tag = Tag(context: context)
        tag.name = "travel"
        let entry = Entry(context: context)
        entry.title = "Rome"
        entry.feeling = .happy
        entry.addToTags(tag)
        try context.save()
        XCTAssertEqual(try store.entries(tagged: "travel").map(\.title), ["Rome"])
        XCTAssertNotNil(entry.created)
        XCTAssertEqual(tag.description, "#travel")
        try store.deleteAll()
        XCTAssertEqual(try store.entries(tagged: "travel").count, 0)
    }
}
