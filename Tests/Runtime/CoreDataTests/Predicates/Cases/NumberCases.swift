import CoreData

extension CaseTable {
    private static var values: [String: Any] {
        [
            "int": 3, "negative": -3, "zero": 0, "double": 3.0, "half": 0.5, "flag": true, "unset": false,
            "decimal": NSDecimalNumber(string: "3"), "price": NSDecimalNumber(string: "19.99"),
            "float": Float(0.5), "int16": Int16(3), "int32": Int32(-7), "uint8": UInt8(200),
            "number": NSNumber(value: 3),
            "large": Int64.max, "small": Int64.min, "huge": UInt64.max, "twoTo53": Int64(9_007_199_254_740_992),
            "boxedTrue": NSNumber(value: true), "boxedDouble": NSNumber(value: 3.0), "infinite": Double.infinity,
        ]
    }

    static let numbers: [PredicateCaseGroup] = [
        // Reference of NSNumber: isEqual(to:) and compare(_:) compare by value, "independent of type"; issue 6,
        // "comparison across number types".
        PredicateCaseGroup(
            "numbers of different types are equal by value", on: values,
            """
            T int == double
            T int == decimal
            T int == int16
            T int == number
            T int == boxedDouble
            T double == decimal
            T double == 3
            T decimal == 3
            T decimal == 3.0
            T int == 3.0
            F int == 3.5
            F double == 3.0001
            T half == float
            T half == 0.5
            T float == 0.5
            T int16 == 3
            T int32 == -7
            T uint8 == 200
            F uint8 == -56
            F int == negative
            T int != negative
            T zero == 0.0
            T zero == -0.0
            T price == 19.99
            F price == 19.990001
            T price != 20
            T large == 9223372036854775807
            F large == 9223372036854775807.0
            T small == -9223372036854775808
            T small == -9223372036854775808.0
            T twoTo53 == 9007199254740992.0
            F twoTo53 == 9007199254740993
            F large == huge
            """),
        // The same, for compare(_:): no number is rounded to another's type.
        PredicateCaseGroup(
            "numbers of different types are ordered by value", on: values,
            """
            T int > negative
            T int >= double
            F int > double
            T int <= decimal
            F int < decimal
            T half < int
            T half < decimal
            T int > half
            T decimal > half
            T price > 19
            T price < 20
            T price > 19.98
            T price < 20.0
            T price >= 19.99
            T price <= 19.99
            F price > 19.99
            F price < 19.99
            T int32 < 0
            T uint8 > int16
            T large > 0
            T small < 0
            T large < huge
            T huge > large
            T huge > 1.5
            T large < 9223372036854775808.0
            T twoTo53 < 9007199254740993
            T infinite > large
            T infinite > huge
            T small > -1e30
            F infinite < price
            T negative < zero
            T -3.5 < negative
            T negative > -3.5
            """),
        // "Predicate Programming Guide", Creating Predicates, and Using Boolean Values: "you specify and test for
        // equality of Boolean values as %@ with NSNumber, or == YES"; issue 6: "booleans written as YES/NO/true/1".
        PredicateCaseGroup(
            "truth values", on: values,
            """
            T flag == YES
            T flag == TRUE
            T flag == true
            T flag == 1
            F flag == NO
            F flag == 0
            T unset == NO
            T unset == FALSE
            T unset == 0
            F unset == 1
            T flag != unset
            T flag != 0
            T boxedTrue == YES
            T boxedTrue == 1
            T boxedTrue == flag
            T flag == 1.0
            F flag == 2
            F int == YES
            T flag > unset
            T unset < flag
            T unset <= zero
            T (int == 3) == YES
            T (int == 4) == NO
            T flag == (int == 3)
            """),
        // Reference of NSComparisonPredicate.Operator.between: the array's first element is the lower, its second the
        // upper bound, both inclusive.
        PredicateCaseGroup(
            "BETWEEN", on: values,
            """
            T int BETWEEN {1, 5}
            T int BETWEEN {3, 5}
            T int BETWEEN {1, 3}
            T int BETWEEN {3, 3}
            F int BETWEEN {4, 5}
            F int BETWEEN {1, 2}
            F int BETWEEN {5, 1}
            T half BETWEEN {0, 1}
            T price BETWEEN {19.99, 20}
            F price BETWEEN {20, 30}
            T int BETWEEN {negative, double}
            T int between { 1, 5 }
            T 'm' BETWEEN {'a', 'z'}
            F 'M' BETWEEN {'a', 'z'}
            T 'M' BETWEEN[c] {'a', 'z'}
            F NOT (int BETWEEN {1, 5})
            T infinite BETWEEN {0, infinite}
            """),
    ]
}
