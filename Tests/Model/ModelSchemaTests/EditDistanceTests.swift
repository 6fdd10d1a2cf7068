import Diagnostics
import Testing

@testable import ModelSchema

@Suite struct EditDistanceTests {
    @Test(arguments: [
        ("lnt", "lint"), ("lnit", "lint"), ("Classe", "Class"), ("Strng", "String"), ("BOOK", "Book"), ("Itme", "Item"),
    ])
    func misspelledNamesHaveSuggestions(name: String, expected: String) {
        let names = ["Book", "Class", "Item", "String", "init", "lint", "Author"]
        #expect(EditDistance.closest(to: name, among: names) == expected)
    }

    @Test(arguments: ["", "x", "zzzzzz", "id", String(repeating: "Book", count: 1000)])
    func otherNamesHaveNone(name: String) {
        #expect(EditDistance.closest(to: name, among: ["Book", "Class", "Item"]) == nil)
    }

    @Test(arguments: [
        ("Strng", "String"), ("Bool", "Boolean"), ("Int64", "Integer 64"), ("Integer64", "Integer 64"),
        ("Data", "Binary"),
        ("boolean", "Boolean"), ("Uuid", "UUID"),
    ])
    func typesAreSuggested(name: String, expected: String) {
        #expect(AttributeType.suggestion(for: name) == expected)
    }
}
