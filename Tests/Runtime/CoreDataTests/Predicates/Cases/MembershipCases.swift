import CoreData

extension CaseTable {
    private static var values: [String: Any] {
        [
            "name": "Ann", "age": 41, "tags": ["red", "green"], "set": Set(["red", "blue"]), "numbers": [1, 2, 3],
            "ns": NSArray(array: ["red", 2]), "nsset": NSSet(array: [1, 2.5]),
            "ordered": NSOrderedSet(array: ["x", "y"]),
            "vacant": [] as [Int], "dictionary": ["k": "red", "l": "green"] as [String: Any], "missing": NSNull(),
            "flag": true,
            "price": NSDecimalNumber(string: "19.99"), "six": [1, 2, 3, 4, 5, 6],
            "names": ["Ann", "Bob", "Cid", "Dan", "Eve", "Fay"],
        ]
    }

    static let membership: [PredicateCaseGroup] = [
        // "Predicate Format String Syntax", Aggregate Operations: IN, "equivalent to an SQL IN operation, the left-hand
        // side must appear in the collection specified by the right-hand side", "the collection may be an array, a set,
        // or a dictionary - in the case of a dictionary, its values are used".
        PredicateCaseGroup(
            "IN", on: values,
            """
            T name IN {'Ann', 'Bob'}
            F name IN {'Bob', 'Cid'}
            F name IN {'ann'}
            T name IN[c] {'ann', 'bob'}
            F name IN[c] {'bob'}
            F name IN {}
            T age IN {41}
            T age IN {40, 41, 42}
            F age IN {40, 42}
            T age IN {41.0}
            T age IN {1, 2, 3, 4, 5, 41.0}
            F age IN {1, 2, 3, 4, 5, 6, '41'}
            T 1 IN numbers
            T 2.0 IN numbers
            F 4 IN numbers
            T 'red' IN tags
            F 'blue' IN tags
            T 'blue' IN set
            F 'green' IN set
            T 'RED' IN[c] tags
            T 'red' IN ns
            T 2 IN ns
            F '2' IN ns
            T 2.5 IN nsset
            T 1 IN nsset
            T 'x' IN ordered
            F 'z' IN ordered
            F 1 IN vacant
            T 'red' IN dictionary
            F 'k' IN dictionary
            T price IN {19.99, 5}
            T price IN {1, 2, 3, 4, 5, 19.99}
            F price IN {20}
            T flag IN {1}
            T flag IN {YES, 5}
            F flag IN {NO}
            T name IN names
            T 'Eve' IN names
            F 'Zoe' IN names
            T 'EVE' IN[c] names
            T NOT (name IN {'Bob'})
            T NOT name IN {'Bob'}
            F NOT (name IN {'Ann'})
            F age IN missing
            """),
        // Reference of NSComparisonPredicate.Operator.contains: "the left hand side must be an expression that
        // evaluates to a collection or string".
        PredicateCaseGroup(
            "CONTAINS of collections", on: values,
            """
            T tags CONTAINS 'red'
            F tags CONTAINS 'blue'
            F tags CONTAINS 'RED'
            T tags CONTAINS[c] 'RED'
            F tags CONTAINS 're'
            T set CONTAINS 'blue'
            T numbers CONTAINS 2
            T numbers CONTAINS 2.0
            F numbers CONTAINS 5
            F numbers CONTAINS '2'
            T ns CONTAINS 2
            T nsset CONTAINS 2.5
            T ordered CONTAINS 'y'
            F vacant CONTAINS 1
            T dictionary CONTAINS 'green'
            F dictionary CONTAINS 'l'
            T {1, 2} CONTAINS 1
            F {1, 2} CONTAINS 3
            T six CONTAINS 6
            F six CONTAINS age
            F missing CONTAINS 1
            T NOT tags CONTAINS 'blue'
            """),
    ]

    static let quantifiers: [PredicateCaseGroup] = [
        // "Predicate Format String Syntax", Aggregate Operations: ANY, SOME, ALL and NONE; "NONE ... is logically
        // equivalent to NOT (ANY ...)".
        PredicateCaseGroup(
            "ANY, SOME, ALL, NONE", on: values,
            """
            T ANY numbers == 2
            F ANY numbers == 5
            T ANY numbers > 2
            F ANY numbers > 3
            T SOME numbers > 2
            F SOME numbers > 3
            T ALL numbers > 0
            F ALL numbers > 1
            T ALL numbers <= 3
            F NONE numbers == 2
            T NONE numbers == 5
            T NONE numbers > 3
            F NONE numbers > 2
            T any numbers == 1
            T all numbers != 7
            T ANY tags == 'red'
            F ANY tags == 'RED'
            T ANY tags ==[c] 'RED'
            T ANY tags BEGINSWITH 'gr'
            F ALL tags BEGINSWITH 'gr'
            T ALL tags CONTAINS 'r'
            T ANY tags LIKE 'r?d'
            T ANY tags MATCHES 'g.*'
            F ALL tags MATCHES 'g.*'
            T ANY tags IN {'red', 'x'}
            F ALL tags IN {'red', 'x'}
            T ALL tags IN {'red', 'green', 'x'}
            T ALL numbers BETWEEN {1, 3}
            F ALL numbers BETWEEN {1, 2}
            T ANY numbers BETWEEN {3, 9}
            T ANY set == 'blue'
            T ANY nsset == 2.5
            T ALL ordered != 'z'
            T ANY numbers == numbers[1]
            F ALL numbers == numbers[1]
            T NOT ANY numbers == 5
            F NOT ALL numbers > 0
            T NOT (ANY tags == 'blue')
            T ANY {1, 2, 3} == 3
            T ALL tags != name
            """),
        // For an empty collection, ANY is false and ALL is true.
        PredicateCaseGroup(
            "empty collections", on: values,
            """
            F ANY vacant == 1
            F SOME vacant != 1
            T ALL vacant == 1
            T ALL vacant != 1
            T NONE vacant == 1
            F NOT ALL vacant > 5
            """),
    ]
}
