import XCTest

@testable import The_Reader

final class LibraryTests: XCTestCase {
    func testTitlesOfLongBooks() throws {
        let library = try Library(inMemory: true)
        try library.add("Emma", pages: 474, by: "Austen")
        try library.add("Lady Susan", pages: 80, by: "Austen")
        XCTAssertEqual(try library.titles(longerThan: 100), ["Emma"])
    }
}
