import XCTest

@testable import The_Reader

final class ThemeTests: XCTestCase {
    func testBackgrounds() {
        XCTAssertNotEqual(Theme.paper, Theme.night)
    }
}
