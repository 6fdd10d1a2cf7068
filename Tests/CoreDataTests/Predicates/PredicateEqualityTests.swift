import CoreData
import Testing

/// Predicates and expressions are equal if their constants are.
@Suite struct PredicateEqualityTests {
    @Test func constantsAreComparedByValue() {
        func predicate(_ value: Any) -> NSPredicate { NSPredicate(format: "x == %@", argumentArray: [value]) }
        #expect(predicate(Data([1, 2, 3])) != predicate(Data([9, 9, 9])))
        #expect(predicate(Data([1, 2, 3])) == predicate(Data([1, 2, 3])))
        #expect(Set([predicate(Data([1, 2, 3])), predicate(Data([9, 9, 9]))]).count == 2)
        let uuid = UUID()
        #expect(predicate(uuid) == predicate(uuid))
        if let url = URL(string: uuid.uuidString) { #expect(predicate(uuid) != predicate(url)) }
        let date = Date()
        #expect(predicate(date) == predicate(date) && predicate(date) != predicate(date.addingTimeInterval(1)))
        #expect(NSExpression(forConstantValue: Data([1])) != NSExpression(forConstantValue: Data([2])))
    }

    @Test(arguments: 0..<20) func equalSetsMakeEqualPredicates(_ seed: Int) {
        let numbers = (0..<(seed + 2)).map { $0 * 7 % 31 }
        let (one, other) = (Set(numbers), Set(numbers.reversed()))
        let first = NSPredicate(format: "x IN %@", argumentArray: [one])
        let second = NSPredicate(format: "x IN %@", argumentArray: [other])
        #expect(first == second && first.hash == second.hash)
    }

    @Test func theHashDoesNotChangeWithAnObject() throws {
        let context = try Library.context()
        let author = context.make("Author", ["name": "a"])
        let predicate = NSPredicate(format: "author == %@", author)
        let hash = predicate.hash
        author.setValue("b", forKey: "name")
        #expect(predicate.hash == hash)
        #expect(predicate == NSPredicate(format: "author == %@", author))
    }
}
