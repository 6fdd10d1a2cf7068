import CoreData
import TestSupport
import Testing

/// Random predicates evaluated on random objects: the evaluator's result equals that of a plain Swift closure, composed
/// along with the text, on plain Swift values.
@Suite struct RandomPredicateTests {
    struct Item {
        var a: Int?
        var b: Int?
        var real: Double?
        var text: String?
        var flag: Bool
        var list: [Int]
        var children: [(name: String, age: Int?)]

        var values: [String: Any] {
            var values: [String: Any] = [
                "flag": flag, "list": list,
                "children": children.map { child -> [String: Any] in
                    var values: [String: Any] = ["name": child.name]
                    values["age"] = child.age
                    return values
                },
            ]
            values["a"] = a ?? NSNull()
            values["b"] = b ?? NSNull()
            values["real"] = real ?? NSNull()
            values["text"] = text ?? NSNull()
            return values
        }
    }

    /// A predicate as a format and as a closure.
    struct Twin {
        var format: String
        var arguments: [Any] = []
        var holds: (Item) -> Bool
    }

    @Test func evaluatorAgreesWithSwift() {
        var random = SeededGenerator(seed: 42)
        let items = (0..<40).map { _ in Self.item(&random) }
        let dictionaries = items.map(\.values)
        let records = dictionaries.map { SlotRecord($0) }
        for _ in 0..<1500 {
            let twin = Self.twin(depth: 3, &random)
            let predicate = NSPredicate(format: twin.format, argumentArray: twin.arguments)
            var session = PredicateEvaluator(predicate).session()
            for (index, item) in items.enumerated() {
                let expected = twin.holds(item)
                #expect(predicate.evaluate(with: dictionaries[index]) == expected, "\(twin.format) on \(item)")
                #expect(session.matches(slotted: records[index]) == expected, "\(twin.format) on \(item), slots")
            }
        }
    }

    private static func item(_ random: inout SeededGenerator) -> Item {
        func chance(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
        return Item(
            a: chance(4) == 0 ? nil : chance(7) - 2, b: chance(4) == 0 ? nil : chance(5),
            real: chance(4) == 0 ? nil : Double(chance(9)) / 2, text: chance(5) == 0 ? nil : word(&random),
            flag: chance(2) == 0, list: (0..<chance(4)).map { _ in chance(5) },
            children: (0..<chance(4)).map { _ in (word(&random), chance(3) == 0 ? nil : chance(5)) })
    }

    private static func word(_ random: inout SeededGenerator) -> String {
        let letters = ["a", "b", "A", "B", "é", "x"]
        return (0..<Int.random(in: 1...4, using: &random))
            .map { _ in letters[Int.random(in: 0..<letters.count, using: &random)] }.joined()
    }

    private static func twin(depth: Int, _ random: inout SeededGenerator) -> Twin {
        guard depth > 0, Int.random(in: 0..<3, using: &random) > 0 else { return leaf(&random) }
        let first = twin(depth: depth - 1, &random)
        if Int.random(in: 0..<4, using: &random) == 0 {
            return Twin(format: "NOT (\(first.format))", arguments: first.arguments) { !first.holds($0) }
        }
        let second = twin(depth: depth - 1, &random)
        let arguments = first.arguments + second.arguments
        if Bool.random(using: &random) {
            return Twin(format: "(\(first.format)) AND (\(second.format))", arguments: arguments) {
                first.holds($0) && second.holds($0)
            }
        }
        return Twin(format: "(\(first.format)) OR (\(second.format))", arguments: arguments) {
            first.holds($0) || second.holds($0)
        }
    }

    /// Returns a number that may be `nil`, as text and as a closure.
    private static func number(_ random: inout SeededGenerator) -> (text: String, value: (Item) -> Double?) {
        let whole = Int.random(in: -2..<6, using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1: return ("a", { $0.a.map(Double.init) })
        case 2: return ("b", { $0.b.map(Double.init) })
        case 3: return ("real", { $0.real })
        case 4: return ("a + b", { item in item.a.flatMap { a in item.b.map { Double(a + $0) } } })
        case 5: return ("real * 2 - a", { item in item.real.flatMap { r in item.a.map { r * 2 - Double($0) } } })
        case 6: return ("list.@count", { Double($0.list.count) })
        case 7: return ("list.@sum.self", { Double($0.list.reduce(0, +)) })
        case 8: return ("children.@max.age", { $0.children.compactMap(\.age).max().map(Double.init) })
        case 9:
            return (
                "SUBQUERY(children, $c, $c.age > \(whole)).@count",
                { Double($0.children.filter { ($0.age ?? Int.min) > whole }.count) }
            )
        case 10: return ("children.@sum.age", { Double($0.children.compactMap(\.age).reduce(0, +)) })
        default: return ("\(whole)", { _ in Double(whole) })
        }
    }

    private static func leaf(_ random: inout SeededGenerator) -> Twin {
        switch Int.random(in: 0..<4, using: &random) {
        case 0, 1: return numberLeaf(&random)
        case 2: return textLeaf(&random)
        default: return collectionLeaf(&random)
        }
    }

    private static func numberLeaf(_ random: inout SeededGenerator) -> Twin {
        let left = number(&random)
        let right = number(&random)
        func ordered(_ sign: String, _ compare: @escaping (Double, Double) -> Bool) -> Twin {
            Twin(format: "\(left.text) \(sign) \(right.text)") { item in
                guard let first = left.value(item), let second = right.value(item) else { return false }
                return compare(first, second)
            }
        }
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return ordered("<", <)
        case 1: return ordered("<=", <=)
        case 2: return ordered(">", >)
        case 3: return ordered(">=", >=)
        case 4: return Twin(format: "\(left.text) == \(right.text)") { left.value($0) == right.value($0) }
        case 5: return Twin(format: "\(left.text) != \(right.text)") { left.value($0) != right.value($0) }
        case 6: return Twin(format: "\(left.text) == nil") { left.value($0) == nil }
        case 7: return Twin(format: "flag == YES") { $0.flag }
        case 8:
            return Twin(format: "\(left.text) BETWEEN {0, %@}", arguments: [2.5]) { item in
                left.value(item).map { $0 >= 0 && $0 <= 2.5 } ?? false
            }
        default:
            let members = (0..<Int.random(in: 1..<8, using: &random)).map { $0 * 2 - 3 }
            return Twin(format: "\(left.text) IN %@", arguments: [members]) { item in
                left.value(item).map { value in members.contains { Double($0) == value } } ?? false
            }
        }
    }

    private static func textLeaf(_ random: inout SeededGenerator) -> Twin {
        let part = word(&random)
        let ignores = Bool.random(using: &random)
        let option = ignores ? "[c]" : ""
        func fold(_ text: String) -> String { ignores ? text.lowercased() : text }
        func test(_ sign: String, _ body: @escaping (String, String) -> Bool) -> Twin {
            Twin(format: "text \(sign)\(option) %@", arguments: [part]) { item in
                item.text.map { body(fold($0), fold(part)) } ?? false
            }
        }
        switch Int.random(in: 0..<7, using: &random) {
        case 0: return test("==", ==)
        case 1: return test("BEGINSWITH") { $0.hasPrefix($1) }
        case 2: return test("ENDSWITH") { $0.hasSuffix($1) }
        case 3: return test("CONTAINS") { $0.contains($1) }
        case 4:
            return Twin(format: "text LIKE\(option) %@", arguments: [part + "*"]) { item in
                item.text.map { fold($0).hasPrefix(fold(part)) } ?? false
            }
        case 5:
            return Twin(format: "text MATCHES\(option) %@", arguments: [".*" + part + ".?"]) { item in
                guard let text = item.text.map(fold) else { return false }
                return text.hasSuffix(fold(part)) || text.dropLast().hasSuffix(fold(part))
            }
        default:
            return Twin(format: "text != %@ AND text != nil", arguments: [part]) { $0.text != part && $0.text != nil }
        }
    }

    private static func collectionLeaf(_ random: inout SeededGenerator) -> Twin {
        let limit = Int.random(in: 0..<5, using: &random)
        let name = word(&random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return Twin(format: "ANY list > \(limit)") { $0.list.contains { $0 > limit } }
        case 1: return Twin(format: "ALL list > \(limit)") { $0.list.allSatisfy { $0 > limit } }
        case 2: return Twin(format: "NONE list == \(limit)") { !$0.list.contains(limit) }
        case 3: return Twin(format: "list CONTAINS \(limit)") { $0.list.contains(limit) }
        case 4:
            return Twin(format: "ANY children.name == %@", arguments: [name]) {
                $0.children.contains { $0.name == name }
            }
        case 5:
            return Twin(format: "ALL children.age < \(limit)") {
                $0.children.allSatisfy { ($0.age ?? Int.max) < limit }
            }
        case 6: return Twin(format: "ANY children.age == nil") { $0.children.contains { $0.age == nil } }
        default:
            return Twin(
                format: "SUBQUERY(children, $c, $c.name BEGINSWITH %@ OR $c.age == \(limit)).@count > 0",
                arguments: [name]
            ) { $0.children.contains { $0.name.hasPrefix(name) || $0.age == limit } }
        }
    }
}
