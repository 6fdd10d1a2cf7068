import CoreData

/// A generator of random predicates on the objects of a `FetchWorld`. All of them are valid for the evaluator.
struct PredicateGenerator {
    let world: FetchWorld
    /// All objects by entity, for predicates that refer to some.
    let objects: [String: [NSManagedObject]]

    /// A part of a format with its arguments.
    struct Part {
        var format: String
        var arguments: [Any] = []

        init(_ format: String, _ arguments: [Any] = []) {
            self.format = format
            self.arguments = arguments
        }

        static func + (one: Part, other: Part) -> Part {
            Part("\(one.format) \(other.format)", one.arguments + other.arguments)
        }

        static func + (one: Part, text: String) -> Part { Part("\(one.format) \(text)", one.arguments) }

        func inParentheses() -> Part { Part("(\(format))", arguments) }
    }

    private func pick(_ texts: String...) -> String { world.pick(texts) }

    private func chance(_ count: Int) -> Int { world.chance(count) }

    func predicate(_ entity: String) -> NSPredicate {
        let part = predicate(entity, depth: 3, prefix: "")
        return NSPredicate(format: part.format, argumentArray: part.arguments)
    }

    /// Returns a predicate on an object: the evaluated one, or the one denoted by a prefix such as `$x.`.
    func predicate(_ entity: String, depth: Int, prefix: String) -> Part {
        guard depth > 0, chance(3) > 0 else { return leaf(entity, depth, prefix) }
        let first = predicate(entity, depth: depth - 1, prefix: prefix).inParentheses()
        switch chance(5) {
        case 0: return Part("NOT \(first.format)", first.arguments)
        case 1, 2: return first + "AND" + predicate(entity, depth: depth - 1, prefix: prefix).inParentheses()
        default: return first + "OR" + predicate(entity, depth: depth - 1, prefix: prefix).inParentheses()
        }
    }

    private func leaf(_ entity: String, _ depth: Int, _ prefix: String) -> Part {
        switch chance(10) {
        case 0, 1, 2: return numberTest(number(entity, 2, prefix), entity, prefix)
        case 3, 4: return textTest(text(entity, 1, prefix), entity, prefix)
        case 5: return otherTest(entity, prefix)
        case 6, 7: return quantified(entity, prefix)
        case 8: return objectTest(entity, prefix)
        default: return depth > 0 ? subquery(entity, depth, prefix) : Part(pick("TRUEPREDICATE", "FALSEPREDICATE"))
        }
    }

    // MARK: Numbers

    private func numberTest(_ value: Part, _ entity: String, _ prefix: String) -> Part {
        let sign = pick("==", "!=", "<", "<=", ">", ">=")
        switch chance(8) {
        case 0: return value + pick("== nil", "!= nil", "!= 0", "== YES", "< nil")
        case 1: return Part("\(value.format) BETWEEN {%@, %@}", value.arguments + [constant(), constant()])
        case 2: return Part("\(value.format) IN %@", value.arguments + [(0..<chance(7)).map { _ in constant() }])
        case 3: return Part("\(value.format) IN {1, nil, %@}", value.arguments + [constant()])
        case 4, 5: return value + sign + number(entity, 1, prefix)
        default: return Part("\(value.format) \(sign) %@", value.arguments + [constant()])
        }
    }

    private func constant() -> Any {
        switch chance(5) {
        case 0: Double(chance(12) - 4) / 2
        case 1: NSDecimalNumber(string: world.pick(FetchWorld.prices))
        case 2: chance(2) == 0
        default: world.whole()
        }
    }

    /// Returns numeric attributes and paths to them, without the prefix.
    private func numbers(_ entity: String) -> [String] {
        let thing = [
            "small", "whole", "large", "flag", "real", "single", "price", "owner.age", "owner.boss.age", "parts.@count",
            "tags.@count", "related.@count", "parts.@sum.size", "parts.@avg.size", "parts.@max.size", "parts.@min.cost",
            "tags.@sum.weight", "parts.@sum.cost", "owner.things.@count", "tags.@avg.weight", "parts.@avg.cost",
            "owner.staff.@sum.age", "owner.things.@max.owner.age",
        ]
        return switch entity {
        case "Thing": thing
        case "Book": thing + ["pages"]
        case "Novel": thing + ["pages", "owner.age"]
        case "Person": ["age", "boss.age", "staff.@count", "things.@count", "things.@sum.real", "boss.boss.age"]
        case "Part": ["size", "cost", "thing.whole", "thing.owner.age", "thing.tags.@count"]
        default: ["weight", "things.@count", "things.@max.whole", "things.@sum.price"]
        }
    }

    private func number(_ entity: String, _ depth: Int, _ prefix: String) -> Part {
        let path = Part(prefix + world.pick(numbers(entity)))
        guard depth > 0 else { return path }
        let plain = [
            "Thing": ["small", "whole", "real", "flag"], "Person": ["age"], "Tag": ["weight"], "Part": ["size"],
        ]
        let key = prefix + world.pick(plain[entity] ?? plain["Thing"] ?? [])
        switch chance(12) {
        case 0: return Part("(\(key) \(pick("+", "-", "*")) %@)", [world.whole()])
        case 1: return Part("(\(key) \(pick("+", "-", "*", "/")) %@)", [Double(chance(5) + 1) / 2])
        case 2: return Part("(\(key) / \(chance(4)))")
        case 3: return Part("(\(key) \(pick("+", "*")) \(key))")
        case 4: return Part("\(pick("abs:", "floor:", "ceiling:", "trunc:"))(\(key))")
        case 5: return Part("modulus:by:(\(key), %@)", [chance(4) + 1])
        case 6: return Part("TERNARY(\(key) > 1, \(key), \(key))")
        case 7 where entity == "Thing": return Part("(\(prefix)price \(pick("+", "-", "*")) %@)", [chance(5)])
        case 8 where entity == "Thing": return Part("length:(\(prefix)name)")
        case 9 where entity == "Thing":
            return Part("\(pick("count:", "sum:", "max:", "average:"))(\(prefix)parts.size)")
        case 10 where entity == "Thing": return Part("(\(key) ** 2)")
        default: return path
        }
    }

    // MARK: Texts

    private func texts(_ entity: String) -> [String] {
        switch entity {
        case "Thing", "Book": ["name", "note", "owner.name", "owner.boss.name", "parts.@max.title"]
        case "Novel": ["name", "genre", "owner.name"]
        case "Person": ["name", "boss.name", "things.@min.name"]
        case "Part": ["title", "thing.name", "thing.owner.name"]
        default: ["label"]
        }
    }

    private func text(_ entity: String, _ depth: Int, _ prefix: String) -> Part {
        let path = prefix + world.pick(texts(entity))
        guard depth > 0, chance(6) == 0 else { return Part(path) }
        return Part("\(pick("uppercase:", "lowercase:", "canonical:"))(\(path))")
    }

    private func textTest(
        _ value: Part, _ entity: String, _ prefix: String, isQuantified: Bool = false
    ) -> Part {
        let options = pick("", "", "[c]", "[d]", "[cd]", "[n]")
        let word = world.word()
        switch chance(9) {
        case 0: return value + pick("== nil", "!= nil", "BEGINSWITH nil")
        case 1:
            return Part(
                "\(value.format) \(pick("BEGINSWITH", "ENDSWITH", "CONTAINS"))\(options) %@", value.arguments + [word])
        case 2:
            return Part(
                "\(value.format) LIKE\(options) %@",
                value.arguments + [pick("*", "?*", "a*", "*b", "x\\*?", "*é*", word)])
        case 3:
            return Part(
                "\(value.format) MATCHES\(options) %@",
                value.arguments + [pick(".*", "[ab]+", "a.b", "(a|é).*", "\\\\w+")])
        case 4:
            return Part(
                "\(value.format) IN\(options) %@", value.arguments + [(0..<chance(7)).map { _ in world.word() }])
        case 5 where !isQuantified: return Part("%@ CONTAINS\(options) \(value.format)", [word] + value.arguments)
        case 6:
            return value + Part("\(pick("==", "!=", "<", ">=", "CONTAINS", "BEGINSWITH"))\(options)")
                + text(entity, 1, prefix)
        case 7: return Part("\(value.format) BETWEEN\(options) {%@, %@}", value.arguments + [word, world.word()])
        default:
            let sign = pick("==", "!=", "<", "<=", ">", ">=")
            return Part("\(value.format) \(sign)\(options) %@", value.arguments + [word])
        }
    }

    // MARK: Dates, UUIDs, bytes, URLs

    private func otherTest(_ entity: String, _ prefix: String) -> Part {
        let sign = pick("==", "!=", "<", ">=")
        guard ["Thing", "Book", "Novel"].contains(entity) else {
            return entity == "Part"
                ? Part("\(prefix)thing.day \(sign) %@", [day()])
                : Part("\(prefix)SELF != nil".replacingOccurrences(of: ".SELF", with: ""))
        }
        switch chance(9) {
        case 0, 1: return Part("\(prefix)day \(sign) %@", [day()])
        case 2: return Part("\(prefix)code \(sign) %@", [UUID(uuidString: world.pick(FetchWorld.uuids)) ?? UUID()])
        case 3: return Part("\(prefix)bytes \(sign) %@", [Data([100])])
        case 4:
            return Part(
                "\(prefix)link \(sign) %@", [URL(string: world.pick(FetchWorld.links)) ?? URL(fileURLWithPath: "/")])
        case 5: return Part("\(prefix)\(pick("day", "code", "bytes", "link", "list")) \(pick("==", "!=")) nil")
        case 6: return Part("\(prefix)day \(pick("+", "-")) 86400 > %@", [day()])
        case 7: return Part("\(prefix)day \(pick("==", "<", ">")) %@", [world.whole()])
        default:
            return Part(
                "\(prefix)\(pick("name", "whole", "code", "price")) \(pick("==", "!=")) \(prefix)\(pick("day", "bytes", "link"))"
            )
        }
    }

    private func day() -> Date { Date(timeIntervalSinceReferenceDate: world.pick(FetchWorld.days)) }

    // MARK: Relationships

    private func toMany(_ entity: String) -> [(path: String, entity: String)] {
        switch entity {
        case "Thing", "Book", "Novel":
            [
                ("parts", "Part"), ("tags", "Tag"), ("related", "Thing"), ("relatedBy", "Thing"),
                ("owner.things", "Thing"),
                ("owner.staff", "Person"),
            ]
        case "Person": [("things", "Thing"), ("staff", "Person"), ("boss.staff", "Person")]
        case "Part": [("thing.tags", "Tag"), ("thing.parts", "Part")]
        default: [("things", "Thing")]
        }
    }

    private func plain(_ path: String) -> Bool { !path.contains("@") }

    private func quantified(_ entity: String, _ prefix: String) -> Part {
        let (path, destination) = world.pick(toMany(entity))
        let quantifier = pick("ANY", "ALL", "NONE", "SOME")
        func quantify(_ test: Part) -> Part { Part("\(quantifier) \(test.format)", test.arguments) }
        switch chance(5) {
        case 0:
            let key = "\(prefix)\(path).\(world.pick(texts(destination).filter(plain)))"
            return quantify(textTest(Part(key), entity, prefix, isQuantified: true))
        case 1:
            let object = object(destination)
            return chance(2) == 0
                ? quantify(Part("\(prefix)\(path) == %@", [object])) : Part("\(prefix)\(path) CONTAINS %@", [object])
        case 2: return Part("%@ IN \(prefix)\(path)", [object(destination)])
        case 3:
            let key = "\(prefix)\(path).\(world.pick(texts(destination).filter(plain)))"
            return Part("%@ IN \(key)", [world.word()])
        default:
            let key = "\(prefix)\(path).\(world.pick(numbers(destination).filter(plain)))"
            return quantify(numberTest(Part(key), entity, prefix))
        }
    }

    private func object(_ entity: String) -> NSManagedObject {
        world.pick(objects[entity]?.isEmpty == false ? objects[entity] ?? [] : objects["Person"] ?? [])
    }

    private func objectTest(_ entity: String, _ prefix: String) -> Part {
        let own = prefix.isEmpty ? "SELF" : String(prefix.dropLast())
        let toOne = ["Person": "boss", "Part": "thing"][entity] ?? "owner"
        let destination = ["Person": "Person", "Part": "Thing"][entity] ?? "Person"
        let isThing = ["Thing", "Book", "Novel"].contains(entity)
        let path = entity == "Tag" ? own : isThing && chance(3) == 0 ? "\(prefix)owner.boss" : "\(prefix)\(toOne)"
        let target = entity == "Tag" ? "Tag" : destination
        switch chance(8) {
        case 0: return Part("\(own) \(pick("==", "!=")) %@", [object(entity)])
        case 1: return Part("\(own) IN %@", [(0..<chance(5)).map { _ in object(entity) }])
        case 2: return Part("\(path) \(pick("==", "!=")) nil")
        case 3: return Part("\(path) IN %@", [Set((0..<chance(5)).map { _ in object(target).objectID })])
        case 4 where isThing: return Part("\(prefix)owner.boss == \(prefix)owner")
        case 5:
            return Part("\(prefix.isEmpty ? "" : prefix)objectID IN %@", [(0..<3).map { _ in object(entity).objectID }])
        case 6: return Part("\(path) IN %@", [[object(target), NSNull()] as [Any]])
        default: return Part("\(path) \(pick("==", "!=")) %@", [object(target).objectID])
        }
    }

    private func subquery(_ entity: String, _ depth: Int, _ prefix: String) -> Part {
        let (path, destination) = world.pick(toMany(entity))
        let name = prefix.isEmpty ? "x" : prefix.contains("x") ? "y" : "z"
        let inner = predicate(destination, depth: min(depth - 1, 1), prefix: "$\(name).")
        let collection = "SUBQUERY(\(prefix)\(path), $\(name), \(inner.format))"
        switch chance(4) {
        case 0: return Part("\(collection).@count > 0", inner.arguments)
        case 1: return Part("\(collection).@count == \(chance(3))", inner.arguments)
        case 2: return Part("\(collection).@count \(pick("<", "!=", ">=")) \(chance(3))", inner.arguments)
        default: return Part("count:(\(collection)) > \(chance(2))", inner.arguments)
        }
    }
}
