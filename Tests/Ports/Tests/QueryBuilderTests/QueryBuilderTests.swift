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

    func testNamesOfObjectiveCProperties() throws {
        XCTAssertEqual((\Note.heading)._kvcKeyPathString, "heading")
        XCTAssertEqual((\Note.long)._kvcKeyPathString, "isLong")
        XCTAssertEqual((\Note.primitivePages)._kvcKeyPathString, "primitivePages")
        XCTAssertEqual((\Note.pages)._kvcKeyPathString, "pages")
        XCTAssertEqual((\Row.text)._kvcKeyPathString, "text")
        XCTAssertEqual((\Row.next?.text)._kvcKeyPathString, "next.text")
        XCTAssertNil((\Row.number)._kvcKeyPathString)
        XCTAssertEqual((\WideRow.text)._kvcKeyPathString, "text")
        XCTAssertEqual((\WideRow.next?.text)._kvcKeyPathString, "next.text")
        // In memory: stores only sort by what they store.
        let notes = try context.fetch(NSFetchRequest<Note>(entityName: "Note"))
        let order = [NSSortDescriptor(key: "heading", ascending: false)]
        let sorted = (notes as NSArray).sortedArray(using: order) as? [Note]
        XCTAssertEqual(sorted?.map(\.heading), ["3: Café", "20: note 2", "1: Note 10"])
        XCTAssertEqual(notes.first?.value(forKey: "heading") as? String, notes.first?.heading)
    }

    func testSortingOfPlainObjectsByKeys() {
        let rows = [2, 1, 3].map { Row($0) }
        let order = [NSSortDescriptor(key: "text", ascending: false)]
        let sorted = (rows as NSArray).sortedArray(using: order) as? [Row]
        XCTAssertEqual(sorted?.map(\.number), [3, 2, 1])
    }
}
