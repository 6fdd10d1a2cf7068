import CoreData
import Testing

/// The objects that predicates can evaluate, and the kinds of predicates that can be mixed.
@Suite struct EvaluatedObjectTests {
    private class Animal {
        var name: String
        var legs: Int?
        var owner: Person?

        init(_ name: String, legs: Int?, owner: Person? = nil) {
            self.name = name
            self.legs = legs
            self.owner = owner
        }
    }

    private final class Cat: Animal {
        var lives = 9
    }

    private struct Person {
        var name: String
        var age: Int
        var cats: [Cat] = []
    }

    private final class Device: NSObject {
        var title = "Phone"
        var sizes: Set<Int> = [1, 2]
    }

    /// Stored properties of objects and structures, including inherited and optional ones.
    @Test func plainSwiftValuesAreEvaluated() {
        let cat = Cat("Tom", legs: 4, owner: Person(name: "Ann", age: 41))
        #expect(NSPredicate(format: "name == 'Tom' AND legs == 4 AND lives > 8").evaluate(with: cat))
        #expect(NSPredicate(format: "owner.name BEGINSWITH 'A' AND owner.age < 50").evaluate(with: cat))
        #expect(NSPredicate(format: "owner == nil AND legs == nil").evaluate(with: Cat("Stray", legs: nil)))
        #expect(NSPredicate(format: "owner.age == nil").evaluate(with: Cat("Stray", legs: nil)))
        let person = Person(name: "Bob", age: 20, cats: [cat, Cat("Jerry", legs: 3)])
        #expect(NSPredicate(format: "ANY cats.legs == 3 AND cats.@sum.lives == 18").evaluate(with: person))
        #expect(NSPredicate(format: "cats.@max.legs == 4 AND ALL cats.lives == 9").evaluate(with: person))
        #expect(NSPredicate(format: "SUBQUERY(cats, $c, $c.owner.name == 'Ann').@count == 1").evaluate(with: person))
        #expect(NSPredicate(format: "title == 'Phone' AND 2 IN sizes AND sizes.@count == 2").evaluate(with: Device()))
    }

    /// Objects are compared by identity, as by `isEqual:` of `NSObject`.
    @Test func objectsAreComparedByIdentity() {
        let cats = [Cat("Tom", legs: 4), Cat("Tom", legs: 4)]
        #expect(NSPredicate(format: "SELF == %@", cats[0]).evaluate(with: cats[0]))
        #expect(!NSPredicate(format: "SELF == %@", cats[0]).evaluate(with: cats[1]))
        #expect(NSPredicate(format: "SELF IN %@", cats).evaluate(with: cats[1]))
        #expect(!NSPredicate(format: "SELF IN %@", [cats[0]]).evaluate(with: cats[1]))
    }

    /// `objectID == %@` and `SELF IN %@` find an object by its ID (Documentation/Formats/RuntimeBehavior.md, 5.1).
    @Test func objectsAreFoundByID() {
        let author = SlotRecord(["name": "Ann"], identity: Identifier(3))
        let book = SlotRecord(["author": author, "editors": [author]], identity: Identifier(4))
        let identifier = Identifier(1)
        let object = SlotRecord(["owner": SlotRecord([:], identity: Identifier(2))], identity: identifier)
        #expect(NSPredicate(format: "SELF == %@", identifier).evaluate(with: object))
        #expect(NSPredicate(format: "SELF == %@", Identifier(1)).evaluate(with: object))
        #expect(!NSPredicate(format: "SELF == %@", Identifier(2)).evaluate(with: object))
        #expect(NSPredicate(format: "owner == %@", Identifier(2)).evaluate(with: object))
        #expect(NSPredicate(format: "owner != %@", Identifier(1)).evaluate(with: object))
        #expect(NSPredicate(format: "SELF IN %@", [Identifier(5), Identifier(1)]).evaluate(with: object))
        #expect(NSPredicate(format: "SELF IN %@", Set((1..<9).map(Identifier.init))).evaluate(with: object))
        #expect(!NSPredicate(format: "SELF IN %@", Set((2..<9).map(Identifier.init))).evaluate(with: object))
        #expect(NSPredicate(format: "owner IN %@", (2..<9).map(Identifier.init)).evaluate(with: object))
        #expect(NSPredicate(format: "SELF == %@", SlotRecord([:], identity: Identifier(1))).evaluate(with: object))
        #expect(NSPredicate(format: "ANY editors == %@", author).evaluate(with: book))
    }

    private final class Identifier: NSObject {
        let number: Int
        init(_ number: Int) { self.number = number }
        override func isEqual(_ object: Any?) -> Bool { (object as? Identifier)?.number == number }
        override var hash: Int { number }
    }

    /// Reference of NSArray, NSSet, NSOrderedSet: the elements for which the predicate is true.
    @Test func collectionsAreFiltered() {
        let big = NSPredicate(format: "SELF > 2")
        #expect(NSArray(array: [1, 2, 3, 4]).filtered(using: big) as? [Int] == [3, 4])
        #expect(NSSet(array: [1, 2, 3, 4]).filtered(using: big) as? Set<Int> == [3, 4])
        #expect(NSOrderedSet(array: [4, 1, 3]).filtered(using: big).array as? [Int] == [4, 3])
        let array = NSMutableArray(array: ["Bob", "Ann", "Amy"])
        array.filter(using: NSPredicate(format: "SELF BEGINSWITH 'A'"))
        #expect(array as? [String] == ["Ann", "Amy"])
        let people = [["name": "Ann", "age": 41], ["name": "Bob", "age": 20]] as [[String: Any]]
        let found = NSArray(array: people).filtered(using: NSPredicate(format: "age > 30"))
        #expect((found as? [[String: Any]])?.map { $0["name"] as? String } == ["Ann"])
    }

    /// Predicates of every origin in one compound: parsed predicates, values, blocks, Foundation's compounds and a
    /// custom class.
    @Test func compoundsMixPredicatesOfEveryOrigin() {
        final class Even: NSPredicate {
            init() { super.init(value: true) }
            required init?(coder: NSCoder) { nil }
            override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
                (object as? Int).map { $0 % 2 == 0 } ?? false
            }
        }
        let parts: [(NSPredicate, @Sendable (Int) -> Bool)] = [
            (NSPredicate(format: "SELF > 3"), { $0 > 3 }), (NSPredicate(value: true), { _ in true }),
            (NSPredicate(value: false), { _ in false }),
            (NSPredicate { object, _ in (object as? Int ?? 0) < 8 }, { $0 < 8 }),
            (Even(), { $0 % 2 == 0 }),
            (
                NSCompoundPredicate(andPredicateWithSubpredicates: [
                    NSPredicate(format: "SELF != 5"), NSPredicate { object, _ in object as? Int != 6 },
                ]), { $0 != 5 && $0 != 6 }
            ),
            (NSPredicate(format: "SELF == 1 OR SELF == 9"), { $0 == 1 || $0 == 9 }),
        ]
        for first in parts {
            for second in parts {
                for value in 0..<12 {
                    let both = [first.0, second.0]
                    let (left, right) = (first.1(value), second.1(value))
                    let and = NSCompoundPredicate(andPredicateWithSubpredicates: both)
                    let or = NSCompoundPredicate(orPredicateWithSubpredicates: both)
                    let not = NSCompoundPredicate(notPredicateWithSubpredicate: and)
                    #expect(and.evaluate(with: value) == (left && right))
                    #expect(or.evaluate(with: value) == (left || right))
                    #expect(not.evaluate(with: value) == !(left && right))
                    #expect(PredicateEvaluator(and).evaluate(with: value) == (left && right))
                    #expect(PredicateEvaluator(or).evaluate(with: value) == (left || right))
                    #expect(PredicateEvaluator(not).evaluate(with: value) == !(left && right))
                }
            }
        }
    }

    /// Reference of NSCompoundPredicate: an empty AND is true, an empty OR is false.
    @Test func emptyCompoundsAreTrueOrFalse() {
        #expect(NSCompoundPredicate(andPredicateWithSubpredicates: []).evaluate(with: nil))
        #expect(!NSCompoundPredicate(orPredicateWithSubpredicates: []).evaluate(with: nil))
        #expect(PredicateEvaluator(NSCompoundPredicate(andPredicateWithSubpredicates: [])).evaluate(with: nil))
        #expect(!PredicateEvaluator(NSCompoundPredicate(orPredicateWithSubpredicates: [])).evaluate(with: nil))
    }

    /// Reference of NSPredicate.withSubstitutionVariables(_:): a copy with the values in place of the variables.
    @Test func substitutionReturnsACopy() {
        let template = NSPredicate(format: "age > $LIMIT AND name IN $NAMES")
        let object: [String: Any] = ["age": 41, "name": "Ann"]
        #expect(template.withSubstitutionVariables(["LIMIT": 40, "NAMES": ["Ann"]]).evaluate(with: object))
        #expect(!template.withSubstitutionVariables(["LIMIT": 41, "NAMES": ["Ann"]]).evaluate(with: object))
        #expect(!template.withSubstitutionVariables(["LIMIT": 40, "NAMES": Set(["Bob"])]).evaluate(with: object))
        #expect(template.evaluate(with: object, substitutionVariables: ["LIMIT": 40, "NAMES": ["Ann"]]))
    }

    /// A block in a compound receives the original object.
    @Test func blocksGetTheObject() {
        final class Seen: @unchecked Sendable { var objects: [Any?] = [] }
        let seen = Seen()
        let block = NSPredicate { object, _ in
            seen.objects.append(object)
            return true
        }
        let cat = Cat("Tom", legs: 4)
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: [NSPredicate(format: "name == 'Tom'"), block])
        #expect(PredicateEvaluator(both).evaluate(with: cat))
        #expect(seen.objects.count == 1 && seen.objects[0] as? Cat === cat)
        let record = SlotRecord(["name": "Tom"])
        #expect(PredicateEvaluator(both).evaluate(with: record))
        #expect(seen.objects.count == 2 && seen.objects[1] as? SlotRecord === record)
    }

    /// Objects with methods that predicates can call, and operators implemented as methods.
    @Test func predicatesCallMethodsOfObjects() {
        final class Adder: PredicateCallable {
            func callPredicateMethod(_ selector: String, arguments: [Any?]) -> Any?? {
                switch selector {
                case "plus:": .some(arguments.first.flatMap { $0 as? Int }.map { $0 + 1 })
                case "nothing": .some(nil)
                default: nil
                }
            }
        }
        let adder: [String: Any] = ["adder": Adder()]
        #expect(NSPredicate(format: "FUNCTION(adder, 'plus:', 2) == 3").evaluate(with: adder))
        #expect(NSPredicate(format: "FUNCTION(adder, 'nothing') == nil").evaluate(with: adder))
    }

    /// Documentation/Formats/RuntimeBehavior.md, 5.3: fetched properties use `$FETCHED_PROPERTY.userInfo.x`; predicates
    /// read the entity of objects.
    @Test func predicatesReadEntitiesAndUserInfo() {
        let entity = NSEntityDescription()
        entity.name = "Book"
        let property = NSFetchedPropertyDescription()
        property.name = "recent"
        property.userInfo = ["limit": 5, "tag": "new"]
        entity.properties = [property]
        let predicate = NSPredicate(
            format: "age < $FETCHED_PROPERTY.userInfo.limit AND tag == $FETCHED_PROPERTY.userInfo.tag")
        let variables = ["FETCHED_PROPERTY": property]
        #expect(predicate.evaluate(with: ["age": 4, "tag": "new"], substitutionVariables: variables))
        #expect(!predicate.evaluate(with: ["age": 5, "tag": "new"], substitutionVariables: variables))
        #expect(predicate.withSubstitutionVariables(variables).evaluate(with: ["age": 4, "tag": "new"]))
        #expect(NSPredicate(format: "entity.name == 'Book'").evaluate(with: ["entity": entity]))
        #expect(NSPredicate(format: "entity == %@", entity).evaluate(with: ["entity": entity]))
        #expect(NSPredicate(format: "ANY entity.properties.name == 'recent'").evaluate(with: ["entity": entity]))
        #expect(
            NSPredicate(format: "entity.isAbstract == NO AND entity.superentity == nil").evaluate(with: [
                "entity": entity
            ]))
    }

    /// One predicate can be evaluated by several threads at once, even for the first time.
    @Test func predicatesCanBeSharedBetweenThreads() async {
        nonisolated(unsafe) let predicate = NSPredicate(
            format:
                "name MATCHES pattern AND name IN[c] {'ANN', 'BOB'} AND ANY list > 2 AND SUBQUERY(list, $x, $x > 1).@count == 2"
        )
        await withTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    (0..<300).reduce(0) { count, round in
                        let name = (task + round) % 2 == 0 ? "Ann" : "Cid"
                        let object: [String: Any] = ["name": name, "pattern": "\(name.prefix(2)).", "list": [1, 2, 3]]
                        return count + (predicate.evaluate(with: object) ? 1 : 0)
                    }
                }
            }
            for await count in group { #expect(count == 150) }
        }
    }
}
