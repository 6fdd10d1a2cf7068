import CoreData

extension CaseTable {
    private static func person(_ name: String, _ age: Int, nick: Any? = nil) -> [String: Any] {
        var values: [String: Any] = ["name": name, "age": age, "tags": [name, "t\(age)"]]
        values["nick"] = nick
        return values
    }

    private static var values: [String: Any] {
        [
            "name": "Team", "leader": person("Ann", 41, nick: "A"), "empty": [] as [Any], "scores": [3, 1, 2],
            "members": [person("Bob", 30, nick: "B"), person("Cid", 20), person("Dan", 30)],
            "memberSet": Set([ReadableKey("x", 1), ReadableKey("y", 1), ReadableKey("z", 2)]),
            "missing": NSNull(), "groups": [[1, 2], [2, 3]], "prices": [1.5, 2.5], "one": [5],
            "decimals": [NSDecimalNumber(string: "0.1"), NSDecimalNumber(string: "0.2")],
            "words": ["pear", "fig", "apple"], "holes": [1, NSNull(), 3] as [Any],
            "date": Date(timeIntervalSince1970: 5),
            "url": URL(string: "https://example.com/a/b.txt") as Any, "data": Data([1, 2, 3]), "count": 7,
            "object": Plain(title: "Plain"),
        ]
    }

    static let keyPaths: [PredicateCaseGroup] = [
        // "Key-Value Coding Programming Guide", Accessing Object Properties: value(forKeyPath:) follows the keys
        // relative to the receiver; a collection returns the values of its elements; a message to nil returns nil.
        PredicateCaseGroup(
            "key paths", on: values,
            """
            T leader.name == 'Ann'
            F leader.name == 'Bob'
            T leader.age == 41
            T leader.nick == 'A'
            T leader.unknown == nil
            T leader.unknown.more == nil
            T missing.name == nil
            F missing.name == 'Ann'
            T SELF.leader.name == 'Ann'
            T ANY members.name == 'Bob'
            F ANY members.name == 'Zoe'
            T ALL members.age >= 20
            F ALL members.age >= 30
            T NONE members.name == 'Zoe'
            T ANY members.nick == 'B'
            T ANY members.nick == nil
            F ALL members.nick == nil
            T members.name == {'Bob', 'Cid', 'Dan'}
            T 'Cid' IN members.name
            T members.name CONTAINS 'Dan'
            T 20 IN members.age
            T ANY memberSet.key == 'y'
            T ALL memberSet.value < 3
            T members[0].name == 'Bob'
            T members.name[1] == 'Cid'
            T members[LAST].age == 30
            T object.title == 'Plain'
            """),
        // Reference of the classes: `length` of NSString and NSData, `lowercaseString`, the seconds of NSDate and the
        // components of NSURL are properties, and so can be read by keys.
        PredicateCaseGroup(
            "properties of values", on: values,
            """
            T name.length == 4
            F name.length > 4
            T name.lowercaseString == 'team'
            T name.uppercaseString == 'TEAM'
            T ANY words.length == 3
            T ALL words.length >= 3
            T data.length == 3
            T date.timeIntervalSince1970 == 5
            T url.scheme == 'https'
            T url.host == 'example.com'
            T url.path == '/a/b.txt'
            T url.lastPathComponent == 'b.txt'
            T url.pathExtension ==[c] 'TXT'
            T url.absoluteString BEGINSWITH 'https:'
            T count == 7
            T count.stringValue == '7'
            T name.self == 'Team'
            """),
    ]

    static let operators: [PredicateCaseGroup] = [
        // "Key-Value Coding Programming Guide", Using Collection Operators: @count, @sum and @avg (nil as 0), @min and
        // @max (nil ignored).
        PredicateCaseGroup(
            "aggregation operators", on: values,
            """
            T members.@count == 3
            F members.@count == 2
            T members.@count > 2
            T empty.@count == 0
            T scores.@count == 3
            T members.@count.name == 3
            T members.@sum.age == 80
            T members.@avg.age > 26.6
            T members.@avg.age < 26.7
            T members.@min.age == 20
            T members.@max.age == 30
            T members.@max.name == 'Dan'
            T members.@min.name == 'Bob'
            T scores.@sum.self == 6
            T scores.@max.self == 3
            T scores.@min.self == 1
            T scores.@avg.self == 2
            T prices.@sum.self == 4
            T prices.@avg.self == 2
            T words.@max.self == 'pear'
            T words.@min.self == 'apple'
            T words.@max.length == 5
            T words.@sum.length == 12
            T empty.@sum.self == 0
            T empty.@max.self == nil
            T empty.@min.self == nil
            T holes.@sum.self == 4
            T holes.@max.self == 3
            T holes.@min.self == 1
            T holes.@count == 3
            T decimals.@sum.self == 0.3
            T memberSet.@count == 3
            T memberSet.@sum.value == 4
            T memberSet.@max.value == 2
            T missing.@count == nil
            T leader.tags.@count == 2
            T leader.@count == 4
            T members.tags.@count == 3
            T one.@avg.self == 5
            """),
        // The same: @unionOfObjects, @distinctUnionOfObjects (arrays); @unionOfArrays, @distinctUnionOfArrays,
        // @distinctUnionOfSets for collections of collections.
        PredicateCaseGroup(
            "array and nesting operators", on: values,
            """
            T members.@unionOfObjects.age == {30, 20, 30}
            T (members.@distinctUnionOfObjects.age)[SIZE] == 2
            T count:(members.@unionOfObjects.age) == 3
            T count:(members.@distinctUnionOfObjects.age) == 2
            T ANY members.@distinctUnionOfObjects.age == 20
            F ANY members.@distinctUnionOfObjects.age == 25
            T 30 IN members.@distinctUnionOfObjects.age
            T members.@distinctUnionOfObjects.name CONTAINS 'Cid'
            T count:(groups.@unionOfArrays.self) == 4
            T count:(groups.@distinctUnionOfArrays.self) == 3
            T ALL groups.@unionOfArrays.self >= 1
            T 3 IN groups.@distinctUnionOfArrays.self
            T count:(members.@unionOfArrays.tags) == 6
            T count:(members.@distinctUnionOfArrays.tags) == 5
            T count:(memberSet.@distinctUnionOfObjects.value) == 2
            """),
    ]

    static let subqueries: [PredicateCaseGroup] = [
        // Reference of NSExpression.init(forSubquery:usingIteratorVariable:predicate:): "a filtered collection ... of
        // elements that are true for the predicate".
        PredicateCaseGroup(
            "SUBQUERY", on: values,
            """
            T SUBQUERY(members, $m, $m.age == 30).@count == 2
            T SUBQUERY(members, $m, $m.age > 99).@count == 0
            T SUBQUERY(members, $m, $m.age == 30 AND $m.name == 'Dan').@count == 1
            F SUBQUERY(members, $m, $m.age == 20 AND $m.name == 'Dan').@count > 0
            T SUBQUERY(members, $m, $m.nick == nil).@count == 2
            T SUBQUERY(members, $m, ANY $m.tags == 't20').@count == 1
            T SUBQUERY(scores, $s, $s > 1).@count == 2
            T SUBQUERY(scores, $s, $s > 1).@max.self == 3
            T SUBQUERY(members, $m, $m.age == leader.age).@count == 0
            T SUBQUERY(members, $m, $m.age < leader.age).@count == 3
            T SUBQUERY(members, $m, $m.age < SELF.leader.age).@count == 3
            T SUBQUERY(members, $m, $m.name BEGINSWITH 'C')[0].age == 20
            T ANY SUBQUERY(members, $m, $m.age == 30).name == 'Bob'
            F ANY SUBQUERY(members, $m, $m.age == 30).name == 'Cid'
            T SUBQUERY(members, $m, TRUEPREDICATE).@sum.age == 80
            T SUBQUERY(empty, $m, $m.age == 1).@count == 0
            T SUBQUERY(memberSet, $m, $m.value == 1).@count == 2
            T SUBQUERY(members, $m, SUBQUERY($m.tags, $t, $t BEGINSWITH 't').@count == 1).@count == 3
            T SUBQUERY(members, $m, SUBQUERY(scores, $s, $s * 10 == $m.age).@count == 1).@count == 3
            T SUBQUERY(members, $m, SUBQUERY(members, $n, $n.age == $m.age).@count == 2).@count == 2
            T SUBQUERY(groups, $x, SUBQUERY($x, $x, $x == 2).@count == 1).@count == 2
            T NOT SUBQUERY(members, $m, $m.age == 20).@count == 0
            F SUBQUERY(members, $m, NOT ($m.age == 20)).@count == 3
            T SUBQUERY({1, 2, 3}, $n, $n IN scores).@count == 3
            T SUBQUERY(leader.tags, $t, $t == leader.name).@count == 1
            """)
    ]
}

/// An object without key-value coding: its stored properties are found by reflection.
final class Plain: Sendable {
    let title: String

    init(title: String) {
        self.title = title
    }
}

/// An element of sets that is read by keys.
final class ReadableKey: KeyValueReadable, Hashable {
    private let key: String
    private let number: Int

    init(_ key: String, _ number: Int) {
        self.key = key
        self.number = number
    }

    func value(forKey key: String) -> Any? { key == "key" ? self.key : number }

    static func == (left: ReadableKey, right: ReadableKey) -> Bool { left.key == right.key }

    func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
