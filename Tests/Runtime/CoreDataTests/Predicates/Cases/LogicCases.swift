import CoreData

extension CaseTable {
    private static var values: [String: Any] {
        ["a": 1, "b": 2, "c": 3, "name": "Ann", "missing": NSNull(), "on": true, "off": false]
    }

    static let logic: [PredicateCaseGroup] = [
        // "Predicate Format String Syntax", Basic Compound Predicates: AND, &&; OR, ||; NOT, !.
        PredicateCaseGroup(
            "compound predicates", on: values,
            """
            T a == 1 AND b == 2
            F a == 1 AND b == 3
            F a == 2 AND b == 2
            F a == 2 AND b == 3
            T a == 1 && b == 2
            F a == 1 && b == 3
            T a == 1 OR b == 3
            T a == 2 OR b == 2
            F a == 2 OR b == 3
            T a == 1 || b == 3
            F a == 2 || b == 3
            T NOT a == 2
            F NOT a == 1
            T !(a == 2)
            F !(a == 1)
            T NOT NOT a == 1
            F NOT NOT NOT a == 1
            T a == 1 AND b == 2 AND c == 3
            F a == 1 AND b == 2 AND c == 4
            F a == 0 AND b == 2 AND c == 3
            T a == 0 OR b == 0 OR c == 3
            F a == 0 OR b == 0 OR c == 0
            T a == 1 and b == 2 or c == 9
            """),
        // Precedence is as in logic: NOT before AND before OR; parentheses override it. Short-circuit evaluation
        // affects only the speed, not the results.
        PredicateCaseGroup(
            "precedence", on: values,
            """
            T a == 1 OR b == 0 AND c == 0
            F (a == 1 OR b == 0) AND c == 0
            T a == 0 AND b == 0 OR c == 3
            F a == 0 AND (b == 0 OR c == 3)
            T NOT a == 0 AND b == 2
            F NOT (a == 1 AND b == 2)
            T NOT (a == 1 AND b == 0)
            T NOT (a == 0 OR b == 0)
            F NOT (a == 1 OR b == 0)
            T NOT a == 0 OR b == 0
            F NOT a == 1 OR b == 0
            T (a == 1 OR b == 0) AND (c == 3 OR b == 0)
            F (a == 1 AND b == 0) OR (c == 3 AND b == 0)
            T (a == 1 AND (b == 0 OR (c == 3 AND NOT name == 'Bob')))
            F (a == 1 AND (b == 0 OR (c == 3 AND NOT name == 'Ann')))
            T ((a == 1))
            T NOT (NOT (a == 1) OR NOT (b == 2))
            F NOT (NOT (a == 1) AND NOT (b == 2)) AND c == 0
            """),
        // De Morgan: both sides of each line are equivalent for all values.
        PredicateCaseGroup(
            "De Morgan", on: values,
            """
            T (NOT (a == 1 AND b == 2)) == (NOT a == 1 OR NOT b == 2)
            T (NOT (a == 1 AND b == 0)) == (NOT a == 1 OR NOT b == 0)
            T (NOT (a == 0 AND b == 0)) == (NOT a == 0 OR NOT b == 0)
            T (NOT (a == 1 OR b == 2)) == (NOT a == 1 AND NOT b == 2)
            T (NOT (a == 0 OR b == 0)) == (NOT a == 0 AND NOT b == 0)
            T (NOT (missing > 1 OR off == YES)) == (NOT missing > 1 AND NOT off == YES)
            """),
    ]
}
