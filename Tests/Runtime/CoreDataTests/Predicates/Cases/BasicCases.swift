import CoreData

extension CaseTable {
    static let basic: [PredicateCaseGroup] = [
        // "Predicate Format String Syntax", Boolean Value Predicates: TRUEPREDICATE always evaluates to TRUE,
        // FALSEPREDICATE to FALSE. Literals: words are case insensitive.
        PredicateCaseGroup(
            "boolean value predicates", on: nil,
            """
            T TRUEPREDICATE
            F FALSEPREDICATE
            T truepredicate
            F falsePredicate
            F NOT TRUEPREDICATE
            T NOT FALSEPREDICATE
            T TRUEPREDICATE AND TRUEPREDICATE
            F TRUEPREDICATE AND FALSEPREDICATE
            T FALSEPREDICATE OR TRUEPREDICATE
            F FALSEPREDICATE OR FALSEPREDICATE
            """),
        // "Predicate Format String Syntax", Basic Comparisons: = and == (equal), >= and =>, <= and =<, >, <, != and <>.
        PredicateCaseGroup(
            "spellings of operators", on: ["a": 5] as [String: Any],
            """
            T a = 5
            T a == 5
            F a = 6
            F a == 6
            T a >= 5
            T a => 5
            T a >= 4
            T a => 4
            F a >= 6
            F a => 6
            T a <= 5
            T a =< 5
            T a <= 6
            T a =< 6
            F a <= 4
            F a =< 4
            T a > 4
            F a > 5
            F a > 6
            T a < 6
            F a < 5
            F a < 4
            T a != 6
            T a <> 6
            F a != 5
            F a <> 5
            T 5 == a
            T 4 < a
            F 5 < a
            T a == a
            F a != a
            """),
        // "Predicate Format String Syntax", Literals: FALSE and NO are logical false, TRUE and YES logical true, NULL
        // and NIL a null value, SELF the evaluated object; hexadecimal 0x, octal 0o, binary 0b, scientific notation.
        PredicateCaseGroup(
            "literals", on: nil,
            """
            T 0x1F == 31
            T 0o17 == 15
            T 0b101 == 5
            T 1e3 == 1000
            T 2.5e-1 == 0.25
            T TRUE == YES
            T FALSE == NO
            F TRUE == FALSE
            T NULL == NIL
            T nil == NULL
            T 'text' == "text"
            T -5 < -4
            T 'it\\'s' == "it's"
            """),
        // The same: SELF is the object being evaluated.
        PredicateCaseGroup(
            "SELF",
            [
                PredicateCase("SELF == 5", on: 5, is: true),
                PredicateCase("SELF == 5", on: 6, is: false),
                PredicateCase("self > 5", on: 6.5, is: true),
                PredicateCase("SELF == 'x'", on: "x", is: true),
                PredicateCase("SELF == 'x'", on: "y", is: false),
                PredicateCase("SELF == 'x'", on: "x" as NSString, is: true),
                PredicateCase("SELF == 5", on: NSNumber(value: 5), is: true),
                PredicateCase("SELF IN {1, 2}", on: 2, is: true),
                PredicateCase("SELF IN {1, 2}", on: 3, is: false),
                PredicateCase("SELF == nil", on: nil, is: true),
                PredicateCase("SELF == nil", on: NSNull(), is: true),
                PredicateCase("SELF != nil", on: 5, is: true),
                PredicateCase("SELF.a == 1", on: ["a": 1] as [String: Any], is: true),
                PredicateCase("SELF.a.b == 1", on: ["a": ["b": 1]] as [String: Any], is: true),
                PredicateCase("SELF BEGINSWITH 'Sw'", on: "Swift", is: true),
                PredicateCase("ANY SELF == 2", on: [1, 2, 3], is: true),
                PredicateCase("ALL SELF > 0", on: [1, 2, 3], is: true),
                PredicateCase("@count == 3", on: [1, 2, 3], is: true),
                PredicateCase("SELF.@count == 3", on: [1, 2, 3], is: true),
                PredicateCase("@max.self == 3", on: [1, 3, 2], is: true),
                PredicateCase("SELF[LAST] == 2", on: [1, 3, 2], is: true),
                PredicateCase("@sum.price == 3", on: [["price": 1], ["price": 2]], is: true),
                PredicateCase("SUBQUERY(SELF, $x, $x > 1).@count == 2", on: [1, 3, 2], is: true),
                PredicateCase("SELF == YES", on: true, is: true),
                PredicateCase("SELF == 1", on: Int16(1), is: true),
                PredicateCase("SELF == 1", on: UInt8(1), is: true),
                PredicateCase("SELF == 1.5", on: Float(1.5), is: true),
                PredicateCase("SELF == 1.5", on: CGFloat(1.5), is: true),
                PredicateCase("SELF == 5", on: NSNumber(value: Int8(5)), is: true),
                PredicateCase("SELF == 1", on: NSNumber(value: Int8(5)), is: false),
                PredicateCase("SELF == -5", on: Int8(-5), is: true),
                PredicateCase("5 == %@", [NSNumber(value: Int8(5))], on: nil, is: true),
                PredicateCase("1 == %@", [NSNumber(value: Int8(5))], on: nil, is: false),
                PredicateCase("SELF == 'x'", on: Character("x"), is: true),
                PredicateCase("SELF == nil", on: Int?.none as Any, is: true),
                PredicateCase("SELF == 5", on: Int?.some(5) as Any, is: true),
                PredicateCase("SELF == 'x'", on: AnyHashable("x"), is: true),
            ]),
    ]
}
