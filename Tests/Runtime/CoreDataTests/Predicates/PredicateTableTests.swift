import CoreData
import Testing

/// The table of predicates and results. Each group names the source of its results: Apple's documentation ("Predicate
/// Programming Guide" with "Predicate Format String Syntax", the reference of NSPredicate, NSComparisonPredicate and
/// NSExpression, the "Key-Value Coding Programming Guide"), or Documentation/Formats/RuntimeBehavior.md, 5.
@Suite struct PredicateTableTests {
    private static let language =
        CaseTable.basic + CaseTable.numbers + CaseTable.null + CaseTable.strings + CaseTable.substrings
        + CaseTable.patterns + CaseTable.membership + CaseTable.quantifiers + CaseTable.logic
    private static let values =
        CaseTable.keyPaths + CaseTable.operators + CaseTable.subqueries + CaseTable.arithmetic + CaseTable.functions
        + CaseTable.collections + CaseTable.arguments + CaseTable.variables
    static let groups: [PredicateCaseGroup] = language + values

    @Test(arguments: groups)
    func everyPredicateHasItsAnswer(_ group: PredicateCaseGroup) {
        for item in group.cases {
            for (way, answer) in item.answers() {
                #expect(answer == item.answer, "\(item.format) \(item.arguments), \(way)")
            }
        }
    }

    @Test func tableIsLarge() {
        let cases = PredicateTableTests.groups.flatMap(\.cases)
        #expect(cases.count >= 1000, "\(cases.count)")
        #expect(Set(cases.map { "\($0.format) \($0.arguments)" }).count >= 950)
    }
}

/// The groups of cases.
enum CaseTable {}
