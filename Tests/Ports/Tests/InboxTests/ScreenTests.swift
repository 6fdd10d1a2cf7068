import XCTest

@testable import Inbox

@MainActor private final class Screen {
    private(set) var rows: [String] = []
    func show(_ rows: [String]) { self.rows = rows }
}

/// Tests of code on the main actor, as view models need them.
@MainActor
final class ScreenTests: XCTestCase {
    private var screen = Screen()
    private var isSetUp = false

    override func setUp() {
        super.setUp()
        isSetUp = true
        screen.show(["first"])
    }

    override func tearDownWithError() throws {
        XCTAssertTrue(isSetUp)
        try super.tearDownWithError()
    }

    func testSynchronousTestsRunOnTheMainActor() {
        XCTAssertTrue(Thread.isMainThread)
        XCTAssertEqual(screen.rows, ["first"])
        guard isSetUp else { return }
        screen.show([])
    }

    func testTheyMayThrow() throws { XCTAssertEqual(try XCTUnwrap(screen.rows.first), "first") }

    func testTheyMayWait() {
        let done = expectation(description: "main queue")
        DispatchQueue.main.async { done.fulfill() }
        wait(for: [done], timeout: 60)
    }

    func testAsynchronousTestsStayAsTheyAre() async { XCTAssertEqual(screen.rows, ["first"]) }
}

final class RowTests: XCTestCase {
    @MainActor func testOneTestMayBeIsolated() {
        let screen = Screen()
        screen.show(["a"])
        XCTAssertEqual(screen.rows, ["a"])
    }

    @MainActor func testMethodsOfTheMainActorAreCalled() {
        let observer = ScreenObserver()
        observer.start()
        NotificationCenter.default.post(name: SaveObserver.other, object: nil)
        XCTAssertEqual(observer.names, ["SaveObserver.other"])
    }

    func testOthersAreNot() { XCTAssertNotNil(NSObject()) }
}
