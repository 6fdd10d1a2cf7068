import CoreData

extension CaseTable {
    private static var values: [String: Any] {
        [
            "a": 1, "name": "Ann", "missing": NSNull(), "vacant": [] as [Any], "list": [1, 2], "date": Date(),
            "nested": ["missing": NSNull(), "x": 1] as [String: Any],
        ]
    }

    static let null: [PredicateCaseGroup] = [
        // "Predicate Programming Guide", Using Null Values: "A comparison predicate does not match any value with null
        // except null (nil) or the NSNull null value (that is, ($value == nil) returns YES if $value is nil)". A key
        // that a dictionary lacks is nil.
        PredicateCaseGroup(
            "equality with nil", on: values,
            """
            T missing == nil
            T missing == NULL
            T missing = nil
            F missing != nil
            F a == nil
            T a != nil
            F name == nil
            T name != nil
            T name <> nil
            T nil == nil
            F nil != nil
            F missing == 0
            F missing == NO
            F missing == ''
            T missing == missing
            F missing == a
            F a == missing
            F list == nil
            F vacant == nil
            T nested.missing == nil
            T missing.anything == nil
            T missing.anything.more == nil
            T NOT (a == nil)
            """),
        // The same, for ordering: nil is neither less nor greater than a value. The result of nil <= nil is not
        // documented, so it is not in this table.
        PredicateCaseGroup(
            "nil has no order", on: values,
            """
            F missing < 1
            F missing > 1
            F missing <= 1
            F missing >= 1
            F missing < 0
            F missing > -1
            F 1 < missing
            F 1 > missing
            F a < nil
            F a > nil
            F missing < 'x'
            F missing > 'x'
            F missing < date
            F missing > date
            F missing BETWEEN {0, 1}
            F missing BETWEEN {-1, 1}
            F a BETWEEN {missing, 5}
            F a BETWEEN {0, missing}
            T NOT (missing > 1)
            T NOT (missing BETWEEN {0, 1})
            """),
        // The guide's example: "firstName like %@" does not match a dictionary without a first name, and neither do
        // other string operators.
        PredicateCaseGroup(
            "nil is not a string", on: values,
            """
            F missing LIKE 'x'
            F missing LIKE '*'
            F missing MATCHES 'x'
            F missing MATCHES '.*'
            F missing CONTAINS 'x'
            F missing BEGINSWITH 'x'
            F missing ENDSWITH 'x'
            F missing CONTAINS[cd] 'x'
            F name CONTAINS nil
            F name BEGINSWITH nil
            F name LIKE missing
            F missing IN 'abc'
            T missing == nil OR missing LIKE 'x'
            T (missing == 'x') OR (missing = nil)
            """),
        // != is the opposite of ==: nil is different from every value.
        PredicateCaseGroup(
            "nil is different", on: values,
            """
            T missing != 1
            T missing != 'x'
            T missing != NO
            T missing != ''
            T 1 != missing
            T missing != name
            T missing != date
            T missing <> 5
            """),
        // The guide's example, in which one key is missing and another is NSNull: both match `firstName = nil`.
        PredicateCaseGroup(
            "missing keys of dictionaries",
            [
                PredicateCase("firstName = nil", on: [String: Any](), is: true),
                PredicateCase("firstName = nil", on: ["firstName": NSNull()] as [String: Any], is: true),
                PredicateCase("firstName = nil", on: NSDictionary(), is: true),
                PredicateCase("firstName like %@", ["Ben"], on: ["lastName": "Turner"] as [String: Any], is: false),
                PredicateCase("firstName like %@", ["Ben"], on: ["firstName": "Ben"] as [String: Any], is: true),
                PredicateCase(
                    "birthday > %@", [Date()], on: ["lastName": "Turner"] as [String: Any], is: false),
                PredicateCase("a == nil", on: nil, is: true),
                PredicateCase("a.b == nil", on: nil, is: true),
                PredicateCase("a == 1", on: nil, is: false),
                PredicateCase("a == %@", [nil], on: ["a": NSNull()] as [String: Any], is: true),
                PredicateCase("a == %@", [nil], on: ["a": 1] as [String: Any], is: false),
                PredicateCase("a != %@", [nil], on: ["a": 1] as [String: Any], is: true),
            ]),
    ]
}
