import CoreData

extension CaseTable {
    private static var values: [String: Any] {
        [
            "a": 7, "b": 2, "x": 2.5, "zero": 0, "missing": NSNull(), "flag": true, "large": Int64.max,
            "price": NSDecimalNumber(string: "0.1"), "other": NSDecimalNumber(string: "0.2"),
            "text": "Hello W\u{F6}rld",
            "list": [4, 1, 3, 1], "even": [1, 2, 3, 4], "date": Date(timeIntervalSinceReferenceDate: 1000),
            "reals": [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0], "empty": [] as [Any], "negative": -7, "six": 6,
            "dictionary": ["k": 5],
        ]
    }

    static let arithmetic: [PredicateCaseGroup] = [
        // Reference of NSExpression: add:to:, from:subtract:, multiply:by:, divide:by:, modulus:by:, raise:toPower:,
        // which the operators + - * / ** denote. Division of integers is integer division, as in C and SQL.
        PredicateCaseGroup(
            "arithmetic", on: values,
            """
            T a + b == 9
            T a - b == 5
            T a * b == 14
            T a / b == 3
            T a / 2.0 == 3.5
            T a / x == 2.8
            T a ** b == 49
            T b ** 10 == 1024
            T x + x == 5
            T x * 2 == 5
            T x - 3 == -0.5
            T a + b * 2 == 11
            T (a + b) * 2 == 18
            T a - b - 1 == 4
            T a - (b - 1) == 6
            T 1 + 1 == 2
            F 1 + 1 == 3
            T -a == -7
            T -a + b == -5
            T negative / b == -3
            T a == 8 - 1
            T a > b + 4
            F a > b + 5
            T a + b BETWEEN {8, 10}
            T a + b IN {9, 10}
            T price + other == 0.3
            T price * 3 == 0.3
            T other / 2 == price
            T flag + 1 == 2
            T large + 1 > large
            T large * 2 > large
            T zero * a == 0
            T modulus:by:(a, b) == 1
            T modulus:by:(a, 4) == 3
            T add:to:(a, b) == 9
            T from:subtract:(a, b) == 5
            T multiply:by:(a, b) == 14
            T divide:by:(a, b) == 3
            T raise:toPower:(a, b) == 49
            T date + 5 > date
            T date - 5 < date
            """),
        // Documentation/Formats/RuntimeBehavior.md, 5.2: results are the same as in a store; in SQL, arithmetic with
        // NULL and division by zero yield NULL.
        PredicateCaseGroup(
            "arithmetic with nil", on: values,
            """
            T missing + 1 == nil
            T 1 - missing == nil
            T missing * 0 == nil
            F missing + 1 > 0
            F missing + 1 < 0
            T a / zero == nil
            T modulus:by:(a, zero) == nil
            """),
    ]

    static let functions: [PredicateCaseGroup] = [
        // Reference of NSExpression.init(forFunction:arguments:), which lists the functions and their results.
        PredicateCaseGroup(
            "statistics", on: values,
            """
            T sum:(list) == 9
            T sum:(1, 2, 3) == 6
            T sum({1, 2, 3}) == 6
            T count:(list) == 4
            T count:({}) == 0
            T count:(empty) == 0
            T min:(list) == 1
            T max:(list) == 4
            T min:(3, 2) == 2
            T max:({a, b}) == 7
            T average:(list) == 2.25
            T average({2, 4}) == 3
            T median:(list) == 2
            T median:({5, 1, 3}) == 3
            T median:(even) == 2.5
            T mode:(list) == {1}
            T stddev:(reals) == 2
            T distinct:(list)[SIZE] == 3
            """),
        PredicateCaseGroup(
            "functions of numbers", on: values,
            """
            T sqrt:(16) == 4
            T sqrt(16) == 4
            T sqrt:(x * x) == x
            T log:(100) == 2
            T ln:(1) == 0
            T exp:(0) == 1
            T floor:(2.7) == 2
            T floor:(-2.2) == -3
            T ceiling:(2.2) == 3
            T ceiling:(-2.7) == -2
            T trunc:(2.7) == 2
            T trunc:(-2.7) == -2
            T floor:(a) == 7
            T abs:(-5) == 5
            T abs:(negative) == 7
            T abs:(-2.5) == 2.5
            T bitwiseAnd:with:(6, 3) == 2
            T bitwiseOr:with:(6, 3) == 7
            T bitwiseXor:with:(6, 3) == 5
            T bitwiseAnd:with:(six, 4) != 0
            T leftshift:by:(1, 4) == 16
            T rightshift:by:(16, 2) == 4
            T onesComplement:(0) == -1
            T random() >= 0
            T random() < 1
            T random:(5) < 5
            T random:(5) >= 0
            T sqrt:(missing) == nil
            T abs:(missing) == nil
            """),
        PredicateCaseGroup(
            "functions of text and dates", on: values,
            """
            T uppercase:(text) == 'HELLO WÖRLD'
            T lowercase:(text) == 'hello wörld'
            T canonical:(text) == 'hello world'
            T length:(text) == 11
            T uppercase:('a') == 'A'
            T lowercase:(uppercase:(text)) == lowercase:(text)
            T noindex:(a) == 7
            T now() > date
            T now() - 60 < now()
            T uppercase:(missing) == nil
            T CAST(1000, 'NSDate') == date
            T CAST(date, 'NSNumber') == 1000
            T date > CAST(999.5, "NSDate")
            T date < CAST(1000.5, "NSDate")
            T CAST('12', 'NSNumber') == 12
            T CAST(12, 'NSString') == '12'
            T CAST('0.1', 'NSDecimalNumber') == price
            """),
        // "Predicate Format String Syntax", FUNCTION: invokes the method on the object with the arguments.
        PredicateCaseGroup(
            "FUNCTION", on: values,
            """
            T FUNCTION(text, 'length') == 11
            T FUNCTION('Ab', 'lowercaseString') == 'ab'
            T FUNCTION('Ab', 'stringByAppendingString:', 'c') == 'Abc'
            T FUNCTION('abc', 'substringFromIndex:', 1) == 'bc'
            T FUNCTION('abc', 'substringToIndex:', 1) == 'a'
            T FUNCTION('abc', 'hasPrefix:', 'ab') == YES
            T FUNCTION(date, 'dateByAddingTimeInterval:', 5) > date
            T FUNCTION(now(), 'dateByAddingTimeInterval:', -60) < now()
            T FUNCTION(list, 'count') == 4
            T FUNCTION(list, 'objectAtIndex:', 1) == 1
            T FUNCTION(list, 'containsObject:', 3) == YES
            T FUNCTION(SELF, 'valueForKey:', 'a') == 7
            T FUNCTION('5.5', 'doubleValue') == 5.5
            T FUNCTION(a, 'stringValue') == '7'
            T FUNCTION(missing, 'length') == nil
            """),
    ]

    static let collections: [PredicateCaseGroup] = [
        // "Predicate Format String Syntax", Array Operations: array[index], [FIRST], [LAST], [SIZE]; a dictionary's
        // value by key.
        PredicateCaseGroup(
            "elements", on: values,
            """
            T list[0] == 4
            T list[1] == 1
            T list[FIRST] == 4
            T list[LAST] == 1
            T list[SIZE] == 4
            T list[first] == 4
            T list[b] == 3
            T list[b - 1] == 1
            T empty[SIZE] == 0
            T dictionary['k'] == 5
            T {5, 6}[1] == 6
            T {5, 6}[SIZE] == 2
            """),
        // Reference of NSExpression: init(forUnionSet:with:), init(forIntersectSet:with:), init(forMinusSet:with:).
        PredicateCaseGroup(
            "sets", on: values,
            """
            T ({1, 2} UNION {2, 3})[SIZE] == 3
            T 3 IN ({1, 2} UNION {2, 3})
            T ({1, 2} INTERSECT {2, 3})[SIZE] == 1
            T 2 IN ({1, 2} INTERSECT {2, 3})
            F 1 IN ({1, 2} INTERSECT {2, 3})
            T 1 IN ({1, 2} MINUS {2, 3})
            F 2 IN ({1, 2} MINUS {2, 3})
            T count:(list UNION even) == 4
            T count:(list INTERSECT even) == 3
            T count:(even MINUS list) == 1
            T count:(empty UNION empty) == 0
            T ({1, 2} UNION {3}) == ({3} UNION {2, 1})
            """),
        // Reference of NSExpression.init(forConditional:trueExpression:falseExpression:) and init(forAggregate:).
        PredicateCaseGroup(
            "conditionals and aggregates", on: values,
            """
            T TERNARY(a > b, 1, 2) == 1
            T TERNARY(a < b, 1, 2) == 2
            T TERNARY(missing == nil, 'none', missing) == 'none'
            T TERNARY(a > b, a, b) == 7
            T {a, b} == {7, 2}
            F {a, b} == {2, 7}
            F {a, b} == {7}
            T {a, {b}} == {7, {2}}
            T {} == {}
            T ($n := a + 1) == 8
            """),
    ]
}
