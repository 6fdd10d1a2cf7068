import CoreData
import XCTest

@testable import QueryBuilder

final class QueryBuilderTests: XCTestCase {
    private var context: NSManagedObjectContext!

    override func setUpWithError() throws {
        context = try makeContext()
        let folder = Folder(context: context)
        folder.name = "Work"
        for (title, pages) in [("Note 10", 1), ("note 2", 20), ("Café", 3)] {
            let note = Note(context: context)
            note.title = title
            note.pages = Int32(pages)
            note.folder = title == "Café" ? nil : folder
        }
        try context.save()
    }

    func testOperators() throws {
        XCTAssertEqual(try context.objects(where: \Note.pages > 2, by: .ascending(\.pages)).map(\.title), ["Café", "note 2"])
        XCTAssertEqual(try context.objects(where: \Note.title =~ "CAFE").count, 1)
        XCTAssertEqual(try context.objects(where: \Note.pages < 2 || \Note.title == "Café").count, 2)
        XCTAssertEqual(try context.objects(where: !(\Note.title != "Café")).count, 1)
        XCTAssertEqual(try context.objects(where: \Note.folder?.name == "Work" && \Note.pages > 5).first?.title, "note 2")
    }

    func testOrderOfTheFinder() throws {
        let titles = try context.objects(where: \Note.pages > 0, by: .finder(\.title)).map(\.title)
        XCTAssertEqual(titles, ["Café", "note 2", "Note 10"])
    }
}
