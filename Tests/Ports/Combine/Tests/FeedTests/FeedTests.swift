import Combine
import CoreData
import XCTest

@testable import Feed

final class FeedTests: XCTestCase {
    private let store = FeedStore()
    private var context: NSManagedObjectContext { store.container.viewContext }
    private var cancellables: Set<AnyCancellable> = []

    private func insert(_ title: String) -> Article {
        let article = Article(context: context)
        article.title = title
        return article
    }

    func testPublishedListsFollowSaves() throws {
        var lists: [[String]] = []
        store.$articles.map { $0.map(\.title) }.sink { lists.append($0) }.store(in: &cancellables)
        _ = insert("b")
        let read = insert("a")
        read.isRead = true
        try context.save()
        XCTAssertEqual(lists, [[], ["a", "b"]])
        XCTAssertEqual(store.unreadCount.value, 1)
        store.filter = " A "
        XCTAssertEqual(store.articles, [read])
    }

    func testObservableObjectsAnnounceChanges() throws {
        var changes = 0
        store.objectWillChange.sink { changes += 1 }.store(in: &cancellables)
        store.filter = "x"
        XCTAssertGreaterThan(changes, 0)
    }

    func testManagedObjectsAreObservableObjects() throws {
        func observe<T: ObservableObject>(_ object: T, _ body: @escaping () -> Void) -> AnyCancellable {
            object.objectWillChange.sink { _ in body() }
        }
        let article = insert("a")
        var titles: [String] = []
        let observer = observe(article) { titles.append(article.title) }
        article.title = "b"
        article.title = "c"
        XCTAssertEqual(titles, ["a", "b"])
        observer.cancel()
        article.title = "d"
        XCTAssertEqual(titles, ["a", "b"])
    }

    func testKeyPathsOfManagedObjectsHavePublishers() throws {
        let article = insert("a")
        var titles: [String] = []
        let observer = article.titles.sink { titles.append($0) }
        article.title = "b"
        article.title = "b"
        article.isRead = true
        XCTAssertEqual(titles, ["a", "b"])
        observer.cancel()
        article.title = "c"
        XCTAssertEqual(titles, ["a", "b"])
        let later = article.publisher(for: \.isRead, options: [.new]).sink { titles.append("\($0)") }
        article.isRead = false
        later.cancel()
        XCTAssertEqual(titles, ["a", "b", "false"])
    }

    func testPublishersOfFetchesSendEachChange() throws {
        let request = NSFetchRequest<Article>(entityName: "Article")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        var lists: [[String]] = []
        FetchPublisher(request, in: context)
            .map { $0.map(\.title) }
            .replaceError(with: ["failed"])
            .sink { lists.append($0) }
            .store(in: &cancellables)
        _ = insert("a")
        context.processPendingChanges()
        XCTAssertEqual(lists, [[], ["a"]])
    }

    func testFuturesDeliverOnTheMainQueue() throws {
        let done = expectation(description: "imported")
        store.importTitles(["a", "b"])
            .receive(on: DispatchQueue.main)
            .sink { completion in
                if case .failure(let error) = completion { XCTFail("\(error)") }
                done.fulfill()
            } receiveValue: { count in
                XCTAssertTrue(Thread.isMainThread)
                XCTAssertEqual(count, 2)
            }
            .store(in: &cancellables)
        wait(for: [done], timeout: 60)
        store.reload()
        XCTAssertEqual(store.articles.map(\.title), ["a", "b"])
    }
}
