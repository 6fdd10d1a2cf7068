import CoreData
import Testing

/// Predicates and expressions built in code, evaluated and inspected. Source: reference of NSComparisonPredicate and
/// NSExpression.
@Suite struct BuiltPredicateTests {
    private let age = NSExpression(forKeyPath: "age")
    private let name = NSExpression(forKeyPath: "name")
    private let ann: [String: Any] = ["age": 41, "name": "Ann", "list": [1, 2, 3]]

    private func constant(_ value: Any?) -> NSExpression { NSExpression(forConstantValue: value) }

    private func holds(
        _ left: NSExpression, _ type: NSComparisonPredicate.Operator, _ right: NSExpression,
        _ modifier: NSComparisonPredicate.Modifier = .direct, _ options: NSComparisonPredicate.Options = []
    ) -> Bool {
        NSComparisonPredicate(
            leftExpression: left, rightExpression: right, modifier: modifier, type: type, options: options
        ).evaluate(with: ann)
    }

    @Test func everyOperatorEvaluates() {
        #expect(holds(age, .equalTo, constant(41)) && !holds(age, .equalTo, constant(42)))
        #expect(holds(age, .notEqualTo, constant(42)) && !holds(age, .notEqualTo, constant(41)))
        #expect(holds(age, .lessThan, constant(42)) && !holds(age, .lessThan, constant(41)))
        #expect(holds(age, .lessThanOrEqualTo, constant(41)) && !holds(age, .lessThanOrEqualTo, constant(40)))
        #expect(holds(age, .greaterThan, constant(40)) && !holds(age, .greaterThan, constant(41)))
        #expect(holds(age, .greaterThanOrEqualTo, constant(41)) && !holds(age, .greaterThanOrEqualTo, constant(42)))
        #expect(holds(name, .beginsWith, constant("A")) && !holds(name, .beginsWith, constant("a")))
        #expect(holds(name, .endsWith, constant("n")) && !holds(name, .endsWith, constant("N")))
        #expect(holds(name, .contains, constant("nn")) && !holds(name, .contains, constant("NN")))
        #expect(holds(name, .like, constant("A?n")) && !holds(name, .like, constant("a?n")))
        #expect(holds(name, .matches, constant("A.n")) && !holds(name, .matches, constant("A.")))
        #expect(holds(name, .in, constant(["Ann", "Bob"])) && !holds(name, .in, constant(["Bob"])))
        #expect(holds(age, .between, constant([40, 42])) && !holds(age, .between, constant([42, 43])))
        let bounds = NSExpression(forAggregate: [constant(40), 42])
        #expect(holds(age, .between, bounds))
    }

    @Test func modifiersAndOptionsApply() {
        let list = NSExpression(forKeyPath: "list")
        #expect(holds(list, .equalTo, constant(3), .any) && !holds(list, .equalTo, constant(4), .any))
        #expect(holds(list, .greaterThan, constant(0), .all) && !holds(list, .greaterThan, constant(1), .all))
        #expect(holds(name, .equalTo, constant("ANN"), .direct, .caseInsensitive))
        #expect(holds(name, .equalTo, constant("\u{C4}nn"), .direct, .diacriticInsensitive))
        #expect(!holds(name, .equalTo, constant("\u{E4}nn"), .direct, .diacriticInsensitive))
        #expect(holds(name, .equalTo, constant("\u{E4}nn"), .direct, [.caseInsensitive, .diacriticInsensitive]))
        #expect(!holds(name, .equalTo, constant("ANN"), .direct, [.caseInsensitive, .normalized]))
    }

    /// Built and parsed predicates are equal.
    @Test func builtAndParsedPredicatesAreEqual() throws {
        let built = NSComparisonPredicate(
            leftExpression: age, rightExpression: constant(40), modifier: .any, type: .greaterThan,
            options: [.caseInsensitive])
        let parsed = NSPredicate(format: "ANY age >[c] 40")
        #expect(built == parsed)
        let comparison = try #require(parsed as? NSComparisonPredicate)
        #expect(comparison.leftExpression.keyPath == "age")
        #expect(comparison.rightExpression.constantValue as? Int == 40)
        #expect(comparison.predicateOperatorType == .greaterThan)
        #expect(comparison.comparisonPredicateModifier == .any)
        #expect(comparison.options == .caseInsensitive)
        #expect(comparison.customSelector == nil)
    }

    @Test func customSelectorsAreCalled() {
        let same = NSComparisonPredicate(
            leftExpression: name, rightExpression: constant("An"), customSelector: "hasPrefix:")
        #expect(same.evaluate(with: ann))
        #expect(!same.evaluate(with: ["name": "Bob"]))
        #expect(!same.evaluate(with: ["name": NSNull()]))
        #expect(same.customSelector == "hasPrefix:")
    }

    @Test func expressionsOfEveryKindEvaluate() {
        let list = NSExpression(forKeyPath: "list")
        let more = NSExpression(forAggregate: [3, 4])
        func value(_ expression: NSExpression) -> Any? { expression.expressionValue(with: ann, context: nil) }
        #expect(value(NSExpression(forUnionSet: list, with: more)) as? Set<Int> == [1, 2, 3, 4])
        #expect(value(NSExpression(forIntersectSet: list, with: more)) as? Set<Int> == [3])
        #expect(value(NSExpression(forMinusSet: list, with: more)) as? Set<Int> == [1, 2])
        let subquery = NSExpression(
            forSubquery: list, usingIteratorVariable: "x", predicate: NSPredicate(format: "$x > 1 AND $x < age"))
        #expect(value(subquery) as? [Int] == [2, 3])
        let blockQuery = NSExpression(
            forSubquery: list, usingIteratorVariable: "x",
            predicate: NSCompoundPredicate(andPredicateWithSubpredicates: [
                NSPredicate(format: "$x > 1"),
                NSPredicate { object, _ in (object as? [String: Any])?["age"] as? Int == 41 },
            ]))
        #expect(value(blockQuery) as? [Int] == [2, 3])
        let conditional = NSExpression(
            forConditional: NSPredicate(format: "age > 40"), trueExpression: constant("old"),
            falseExpression: constant("young"))
        #expect(value(conditional) as? String == "old")
        let block = NSExpression(
            block: { object, arguments, context in
                context?["called"] = true
                let sum = arguments.compactMap { $0 as? Int }.reduce(0, +)
                return sum + ((object as? [String: Any])?["age"] as? Int ?? 0)
            }, arguments: [age, constant(1)])
        let context = NSMutableDictionary()
        #expect(block.expressionValue(with: ann, context: context) as? Int == 83)
        #expect(context["called"] as? Bool == true)
        #expect(holds(block, .equalTo, constant(83)))
        let method = NSExpression(forFunction: name, selectorName: "substringToIndex:", arguments: [constant(1)])
        #expect(value(method) as? String == "A")
    }

    @Test func expressionsExposeTheirParts() {
        let sum = NSExpression(format: "price * 2")
        #expect(sum.expressionType == .function && sum.function == "multiply:by:")
        #expect(sum.arguments?.map(\.description) == ["price", "2"])
        let subquery = NSExpression(format: "SUBQUERY(books, $b, $b.price > 5)")
        #expect(subquery.expressionType == .subquery && subquery.variable == "b")
        #expect((subquery.collection as? NSExpression)?.keyPath == "books")
        #expect(subquery.predicate == NSPredicate(format: "$b.price > 5"))
        let conditional = NSExpression(format: "TERNARY(a > 1, 'x', 'y')")
        #expect(conditional.expressionType == .conditional && conditional.predicate == NSPredicate(format: "a > 1"))
        #expect(conditional.true.constantValue as? String == "x" && conditional.false.constantValue as? String == "y")
        let union = NSExpression(format: "a UNION b")
        #expect(union.expressionType == .unionSet && union.left.keyPath == "a" && union.right.keyPath == "b")
        let list = NSExpression(format: "{1, a}")
        #expect(list.expressionType == .aggregate && (list.collection as? [NSExpression])?.count == 2)
        #expect(NSExpression(format: "$x").variable == "x")
        #expect(NSExpression(format: "SELF").expressionType == .evaluatedObject)
        #expect(NSExpression(format: "a.b.c").keyPath == "a.b.c")
        #expect(NSExpression.expressionForAnyKey().expressionType == .anyKey)
        let date = Date(timeIntervalSinceReferenceDate: 5)
        #expect(constant(date).constantValue as? Date == date && constant(nil).constantValue == nil)
        #expect(constant(5).expressionType == .constantValue && constant(2.5).constantValue as? Double == 2.5)
    }
}
