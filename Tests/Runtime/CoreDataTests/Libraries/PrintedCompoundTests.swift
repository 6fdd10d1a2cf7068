import CoreData
import Testing

/// The texts of predicates as Apple's framework prints them, which libraries compare with literals.
@Suite struct PrintedCompoundTests {
    private let a = NSPredicate(format: "a == 1")
    private let b = NSPredicate(format: "b == 2")

    @Test func compoundsOfFoundationHaveAFormat() {
        let and = NSCompoundPredicate(andPredicateWithSubpredicates: [a, b])
        let or = NSCompoundPredicate(orPredicateWithSubpredicates: [and, b])
        #expect(and.format == "a == 1 AND b == 2")
        #expect(or.format == "(a == 1 AND b == 2) OR b == 2" && or.description == or.format)
        #expect(NSCompoundPredicate(notPredicateWithSubpredicate: a).format == "NOT a == 1")
        #expect(NSCompoundPredicate(type: .and, subpredicates: []).format == "TRUEPREDICATE")
        // Also as a plain predicate.
        #expect((and as NSPredicate).format == "a == 1 AND b == 2")
    }

    @Test func theOnlyPartOfACompoundHasNoParentheses() {
        func and(_ parts: NSPredicate...) -> NSPredicate { NSCompoundPredicate(andPredicateWithSubpredicates: parts) }
        func or(_ parts: NSPredicate...) -> NSPredicate { NSCompoundPredicate(orPredicateWithSubpredicates: parts) }
        let not = NSCompoundPredicate(notPredicateWithSubpredicate: a)
        #expect(and(or(a, b)).format == "a == 1 OR b == 2")
        #expect(and(not).format == "NOT a == 1")
        #expect(or(and(or(a, b))).format == "a == 1 OR b == 2")
        #expect(and(or(a, b), a).format == "(a == 1 OR b == 2) AND a == 1")
        #expect(and(not, b).format == "(NOT a == 1) AND b == 2")
        #expect(NSCompoundPredicate(notPredicateWithSubpredicate: and(a, b)).format == "NOT (a == 1 AND b == 2)")
    }

    @Test func emptyOptionalsAreNSNull() {
        #expect(NSExpression(forConstantValue: Optional<Int>.none as Any).constantValue is NSNull)
        #expect(NSExpression(forConstantValue: Optional<Int?>.some(.none) as Any).constantValue is NSNull)
        #expect(NSExpression(forConstantValue: nil).constantValue == nil)
        #expect(NSExpression(forConstantValue: Optional.some(3) as Any).constantValue as? Int == 3)
        let predicate = NSPredicate(format: "a == %@", argumentArray: [Optional<String>.none as Any])
        #expect((predicate as? NSComparisonPredicate)?.rightExpression.constantValue is NSNull)
        #expect(predicate.evaluate(with: ["a": NSNull()]) && !predicate.evaluate(with: ["a": 1]))
    }

    @Test func setsArePrintedAsLists() {
        let names: Set<String> = ["a", "b"]
        #expect(NSPredicate(format: "name IN %@", names).format == #"name IN {"a", "b"}"#)
        #expect(NSPredicate(format: "name IN %@", ["a"] as Set).format == #"name IN {"a"}"#)
        #expect(NSPredicate(format: "number IN %@", [1, 2] as Set).format == "number IN {1, 2}")
    }
}

extension NSPredicate {
    /// `predicateFormat`, which Foundation calls deprecated on Linux.
    fileprivate var format: String { (self as any PredicateFormatted).predicateFormat }
}

/// Calls `predicateFormat` without its deprecation.
private protocol PredicateFormatted {
    var predicateFormat: String { get }
}

extension NSPredicate: PredicateFormatted {}
