import CoreData

extension CaseTable {
    private static let early = Date(timeIntervalSinceReferenceDate: 0)
    private static let late = Date(timeIntervalSinceReferenceDate: 1000.25)
    private static let id = UUID()
    private static let object = Plain(title: "A")
    private static let other = Plain(title: "A")

    private static var values: [String: Any] {
        [
            "date": early, "id": id, "data": Data([1, 2]), "url": URL(string: "https://a.b/c") as Any, "name": "Ann",
            "age": 41, "price": NSDecimalNumber(string: "19.99"), "object": object, "flag": true,
            "nsdate": late as NSDate,
            "ids": [id], "nsid": NSUUID(uuidString: id.uuidString) as Any, "decimal": Decimal(5), "level": Level.high,
        ]
    }

    private enum Level: Int {
        case high = 3
    }

    private static func group(_ name: String, _ cases: [(String, [Any?], Bool)]) -> PredicateCaseGroup {
        PredicateCaseGroup(name, cases.map { PredicateCase($0.0, $0.1, on: values, is: $0.2) })
    }

    static let arguments: [PredicateCaseGroup] = [
        // Reference of NSDate: isEqual(to:) and compare(_:) are exact to the sub-second.
        group(
            "dates",
            [
                ("date == %@", [early], true), ("date == %@", [late], false), ("date != %@", [late], true),
                ("date < %@", [late], true), ("date > %@", [late], false), ("date <= %@", [early], true),
                ("date >= %@", [early], true), ("date < %@", [early], false), ("date >= %@", [late], false),
                ("nsdate == %@", [late], true), ("nsdate > %@", [early], true), ("nsdate > date", [], true),
                ("date BETWEEN {%@, %@}", [early, late], true), ("date BETWEEN {%@, %@}", [late, late], false),
                ("date BETWEEN %@", [[early, late]], true), ("date IN %@", [[early, late]], true),
                ("date IN %@", [[late]], false), ("date == %@", [early as NSDate], true),
                ("nsdate == %@", [Date(timeIntervalSinceReferenceDate: 1000)], false),
                ("date >= %@ AND date < %@", [early, late], true),
            ]),
        // Reference of NSUUID, NSData, NSURL: isEqual.
        group(
            "identifiers, data and addresses",
            [
                ("id == %@", [id], true), ("id == %@", [UUID()], false), ("id != %@", [UUID()], true),
                ("nsid == %@", [id], true), ("id == nsid", [], true), ("id IN %@", [[UUID(), id]], true),
                ("id IN %@", [[UUID()]], false), ("%@ IN ids", [id], true),
                ("id == %@", [NSUUID(uuidString: id.uuidString) as Any], true),
                ("data == %@", [Data([1, 2])], true), ("data == %@", [Data([1, 3])], false),
                ("data == %@", [NSData(data: Data([1, 2]))], true),
                ("url == %@", [URL(string: "https://a.b/c")], true),
                ("url == %@", [URL(string: "https://a.b/d")], false),
                ("url == %@", [NSURL(string: "https://a.b/c")], true),
            ]),
        // "Predicate Format String Syntax", Format Argument Tokens: %@ is an object (NSString, NSNumber, NSDate ...),
        // %K a key path, and %d etc. are C values.
        group(
            "numbers and strings",
            [
                ("age == %@", [41], true), ("age == %@", [NSNumber(value: 41)], true), ("age == %d", [41], true),
                ("age == %ld", [41], true), ("age == %i", [Int32(41)], true), ("age > %f", [40.5], true),
                ("age < %f", [40.5], false), ("age == %u", [UInt(41)], true), ("age == %lu", [UInt64(41)], true),
                ("age == %@", [Int16(41)], true), ("age == %@", [41.0], true), ("age == %@", [Float(41)], true),
                ("age == %@", [Decimal(41)], true), ("age == %@", ["41"], false), ("price == %@", [19.99], true),
                ("price == %@", [Decimal(string: "19.99")], true),
                ("price > %@", [NSDecimalNumber(string: "19.98")], true),
                ("price < %@", [20], true), ("decimal == %d", [5], true), ("decimal == %@", [Decimal(5)], true),
                ("flag == %@", [true], true), ("flag == %@", [NSNumber(value: true)], true), ("flag == %d", [1], true),
                ("flag == %@", [false], false), ("flag == %@", [NSNumber(value: false)], false),
                ("name == %@", ["Ann"], true), ("name == %@", ["Ann" as NSString], true),
                ("name == '%@'", ["Ann"], false),
                ("name BEGINSWITH[c] %@", ["a"], true), ("name LIKE %@", ["A*"], true),
                ("name MATCHES %@", ["A.."], true),
                ("name IN %@", [["Ann", "Bob"]], true), ("name IN %@", [["Bob"]], false),
                ("name IN %@", [Set(["Ann", "Bob"])], true), ("name IN %@", [NSSet(array: ["Ann"])], true),
                ("name IN %@", [NSArray(array: ["Bob"])], false), ("name IN {%@, %@}", ["Bob", "Ann"], true),
                ("age IN %@", [[1, 2, 3, 4, 5, 41]], true), ("age IN %@", [Set([41])], true),
                ("age IN %@", [40...42], true),
                ("age BETWEEN %@", [[40, 42]], true), ("age BETWEEN {%d, %d}", [42, 50], false),
                ("%K == %@", ["name", "Ann"], true), ("%K == %@", ["age", 41], true),
                ("%K.length == 3", ["name"], true),
                ("%K > %d AND %K == %@", ["age", 40, "name", "Ann"], true), ("level == %d", [3], true),
                ("%@ == %@", ["a", "a"], true), ("%@ == %@", ["a", "b"], false), ("%d + %d == %d", [1, 2, 3], true),
            ]),
        // Objects are compared by isEqual, which defaults to identity; nil and NSNull are the null value.
        group(
            "objects and nil",
            [
                ("object == %@", [object], true), ("object == %@", [other], false), ("object != %@", [other], true),
                ("object IN %@", [[other, object]], true), ("object IN %@", [[other]], false),
                ("object == %@", [nil], false), ("object == %@", [NSNull()], false), ("unknown == %@", [nil], true),
                ("unknown == %@", [NSNull()], true), ("name == %@", [nil], false), ("name != %@", [nil], true),
                ("object.title == %@", ["A"], true), ("%@ == nil", [nil], true), ("object == name", [], false),
            ]),
    ]

    private static func bound(_ format: String, _ variables: [String: Any], _ answer: Bool) -> PredicateCase {
        PredicateCase(format, variables: variables, on: values, is: answer)
    }

    static let variables: [PredicateCaseGroup] = [
        // Reference of NSPredicate.evaluate(with:substitutionVariables:): "values for all variables in the predicate".
        PredicateCaseGroup(
            "substitution variables",
            [
                bound("name == $NAME", ["NAME": "Ann"], true), bound("name == $NAME", ["NAME": "Bob"], false),
                bound("age > $LIMIT", ["LIMIT": 40], true), bound("age > $LIMIT", ["LIMIT": 50], false),
                bound("date < $D", ["D": late], true), bound("name IN $LIST", ["LIST": ["Ann"]], true),
                bound("name IN $LIST", ["LIST": ["Bob"]], false), bound("name BEGINSWITH[c] $P", ["P": "aN"], true),
                bound("age BETWEEN $R", ["R": [40, 42]], true),
                bound("age BETWEEN {$A, $B}", ["A": 42, "B": 50], false),
                bound("name == $N OR age == $N", ["N": 41], true),
                bound("$P.name == name", ["P": ["name": "Ann"]], true),
                bound("$A + $B == 3", ["A": 1, "B": 2], true), bound("name LIKE $P", ["P": "A*"], true),
                bound("name MATCHES $P", ["P": "A.n"], true), bound("name MATCHES $P", ["P": "B.n"], false),
                bound("object == $O", ["O": object], true), bound("unknown == $N", ["N": NSNull()], true),
                bound("SUBQUERY($L, $x, $x > $LIMIT).@count == 1", ["L": [1, 2, 3], "LIMIT": 2], true),
                bound("SUBQUERY($L, $x, $x == 2).@count == 1", ["L": [1, 2, 3], "x": 99], true),
                bound("age == $E", ["E": NSExpression(format: "40 + 1")], true),
                bound("name == 'Ann'", ["unused": 1], true),
            ])
    ]
}
