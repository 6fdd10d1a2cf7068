import CoreData
import XCTest

@testable import Shelf

final class ShelfTests: XCTestCase {
    private var container: NSPersistentContainer!
    private var context: NSManagedObjectContext { container.viewContext }

    override func setUpWithError() throws {
        container = try ShelfStore.container()
        for (title, pages) in [("Ab", 1), ("Ac", 2), ("Ba", 3)] {
            let novel = Novel(context: context)
            (novel.title, novel.pages) = (title, Int32(pages))
        }
        try context.save()
    }

    private func novels() throws -> [Novel] {
        let request = NSFetchRequest<Novel>(entityName: "Novel")
        request.sortDescriptors = [NSSortDescriptor(keyPath: \Novel.title, ascending: true)]
        return try context.fetch(request)
    }

    func testSectionsAreNamedByAnAccessor() throws {
        let provider = try FetchedProvider<Novel>(context: context, sort: "title", section: "initial")
        XCTAssertEqual(provider.sections, ["A", "B"])
        XCTAssertEqual(try novels()[2].value(forKey: "initial") as? String, "B")
    }

    func testADelegateCastsItsController() throws {
        let provider = try FetchedProvider<Novel>(context: context, sort: "title", section: "initial")
        Novel(context: context).title = "Ca"
        context.processPendingChanges()
        provider.forward(to: provider)
        XCTAssertEqual(provider.counts, [4, 4])
        XCTAssertEqual(provider.sections, ["A", "B", "C"])
    }

    func testAComputedPropertyIsObserved() throws {
        let novel = try novels()[0]
        var summaries: [String] = []
        let observation = novel.observe(\.summary, options: [.new]) { summaries.append($1.newValue ?? "") }
        novel.title = "Z"
        novel.pages = 9
        XCTAssertEqual(summaries, ["Z (1)"])
        observation.invalidate()
    }

    func testAnObserverIsCalledByKeyPath() throws {
        let novel = try novels()[0]
        let observer = TitleObserver(novel)
        novel.title = "b"
        novel.title = "c"
        XCTAssertEqual(observer.titles, ["b", "c"])
    }

    func testPredicatesTakeListsOfArguments() throws {
        let predicate = Novel.matching("%K > %d AND title IN %@", "pages", 1, ["Ab", "Ac"] as NSArray)
        XCTAssertEqual((try novels() as NSArray).filtered(using: predicate).count, 1)
    }

    func testCollectionsHaveKeyValueCoding() throws {
        XCTAssertEqual((try novels() as NSArray).value(forKey: "title") as? [String], ["Ab", "Ac", "Ba"])
        XCTAssertEqual((try novels() as NSArray).value(forKeyPath: "@sum.pages") as? Int, 6)
    }

    func testContextsHaveAssociatedObjects() {
        context.tag = "main"
        XCTAssertEqual(context.tag, "main")
        XCTAssertNil(container.newBackgroundContext().tag)
        context.tag = nil
        XCTAssertNil(context.tag)
    }
}
