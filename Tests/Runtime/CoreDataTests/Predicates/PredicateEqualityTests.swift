import Testing

@testable import CoreData

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

    /// Foundation's own compounds, of which programs have instances, too.
    @Test func equalCompoundsHaveEqualHashes() {
        let parts = { [NSPredicate(format: "x == 1"), NSPredicate(format: "y == %@", Date.distantPast)] }
        let date = Date.distantPast
        let equal: [[NSPredicate]] = [
            [
                NSPredicate(format: "x == 1 AND y == %@", date),
                NSCompoundPredicate(andPredicateWithSubpredicates: parts()),
                NSCompoundPredicate(andPredicateWithSubpredicates: parts()),
            ],
            [
                NSPredicate(format: "x == 1 OR y == %@", date),
                NSCompoundPredicate(orPredicateWithSubpredicates: parts()),
            ],
            [
                NSPredicate(format: "NOT x == 1"), NSCompoundPredicate(notPredicateWithSubpredicate: parts()[0]),
                NSCompoundPredicate(notPredicateWithSubpredicate: parts()[0]),
            ],
            [NSPredicate(value: true), NSPredicate(value: true), NSPredicate(format: "TRUEPREDICATE")],
        ]
        for predicates in equal {
            #expect(Set(predicates).count == 1)
            for one in predicates { for other in predicates { #expect(one == other && one.hash == other.hash) } }
        }
        #expect(Set(equal.joined()).count == 4)
        let blocks = (0..<2).map { _ in NSPredicate { _, _ in true } }
        #expect(Set(blocks + blocks).count == 2)
        let compounds = (blocks + blocks).map { NSCompoundPredicate(notPredicateWithSubpredicate: $0) }
        #expect(Set(compounds).count == 2)
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

    /// Each comparison of a format holds its own values, so that evaluating all of them does not take quadratic time.
    @Test func comparisonsHoldTheirOwnValues() throws {
        let dates = (0..<20).map { Date(timeIntervalSinceReferenceDate: Double($0)) }
        let format = (dates.map { _ in "born == %@" } + ["born IN {%@, %@}"]).joined(separator: " OR ")
        let predicate = NSPredicate(format: format, argumentArray: dates + [Date.distantPast, Date.distantFuture])
        let parts = try #require((predicate as? NSCompoundPredicate)?.subpredicates as? [TreeComparison])
        #expect(parts.map(\.ownTree.boxes.boxes.count) == Array(repeating: 1, count: 20) + [2])
        #expect(dates.allSatisfy { predicate.evaluate(with: ["born": $0]) })
        #expect(!predicate.evaluate(with: ["born": Date(timeIntervalSinceReferenceDate: 20)]))
        let again = NSCompoundPredicate(orPredicateWithSubpredicates: parts)
        #expect(predicate == again && again.evaluate(with: ["born": Date.distantFuture]))
    }

    /// Blocks within expressions are found too.
    @Test func comparisonsHoldTheBlocksWithinThem() {
        let block = NSPredicate { _, _ in true }
        let numbers = NSExpression(forKeyPath: "numbers")
        let subquery = NSExpression(forSubquery: numbers, usingIteratorVariable: "x", predicate: block)
        let comparison = NSComparisonPredicate(
            leftExpression: NSExpression(forFunction: "count:", arguments: [subquery]),
            rightExpression: NSExpression(forConstantValue: 2), modifier: .direct, type: .equalTo)
        let dates = (0..<20).map { NSPredicate(format: "born != %@", Date(timeIntervalSinceReferenceDate: Double($0))) }
        let all = NSCompoundPredicate(andPredicateWithSubpredicates: dates + [comparison])
        // A copy is made of the tree.
        let copy = all.withSubstitutionVariables([:])
        let object: [String: Any] = ["born": Date.distantPast, "numbers": [1, 5]]
        #expect(all.evaluate(with: object) && copy.evaluate(with: object))
    }
}
