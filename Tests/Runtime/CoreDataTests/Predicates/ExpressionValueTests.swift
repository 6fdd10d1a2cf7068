import CoreData
import Testing

/// Values of expressions. Sources: reference of NSExpression for the functions and kinds of expressions, "Key-Value
/// Coding Programming Guide" for key paths.
@Suite struct ExpressionValueTests {
    private func value(_ format: String, _ arguments: [Any] = [], of object: Any? = nil) -> Any? {
        NSExpression(format: format, argumentArray: arguments).expressionValue(with: object, context: nil)
    }

    @Test func numbersAreNSNumbers() {
        #expect(value("1 + 2") as? Int == 3)
        #expect(value("1 + 2") as? NSNumber == 3)
        #expect(value("1 + 2") as? Double == 3)
        #expect(value("5 / 2") as? Int == 2)
        #expect(value("5 / 2.0") as? Double == 2.5)
        #expect(value("TRUE") as? Bool == true)
        #expect(value("a > 1", of: ["a": 2]) as? Bool == true)
        #expect(value("(a > 1) == NO", of: ["a": 2]) as? Bool == false)
        #expect(value("2 ** 3") as? Int == 8)
        #expect(value("max:({1, 5, 3})") as? Int == 5)
        #expect(value("stddev:({2, 4, 4, 4, 5, 5, 7, 9})") as? Double == 2)
    }

    @Test func decimalsStayExact() {
        let object = ["a": NSDecimalNumber(string: "0.1"), "b": NSDecimalNumber(string: "0.2")]
        #expect(value("a + b", of: object) as? NSDecimalNumber == NSDecimalNumber(string: "0.3"))
        #expect(value("sum:({a, b})", of: object) as? NSDecimalNumber == NSDecimalNumber(string: "0.3"))
        #expect(value("a * 3", of: object) as? NSDecimalNumber == NSDecimalNumber(string: "0.3"))
        #expect(value("average:({a, b})", of: object) as? NSDecimalNumber == NSDecimalNumber(string: "0.15"))
    }

    @Test func otherExpressionsHaveTheirValues() {
        #expect(value("'text'") as? String == "text")
        #expect(value("nil") == nil)
        #expect(value("SELF", of: "x") as? String == "x")
        #expect(value("uppercase:(SELF)", of: "x") as? String == "X")
        #expect(value("{1, nil, 'x'}") as? [AnyHashable] == [1, NSNull(), "x"])
        #expect(value("{1, 2} UNION {2, 3}") as? Set<Int> == [1, 2, 3])
        #expect(value("{1, 2} INTERSECT {2, 3}") as? NSSet == NSSet(array: [2]))
        #expect(value("{1, 2} MINUS {2, 3}") as? Set<Int> == [1])
        #expect(value("SUBQUERY(SELF, $x, $x > 1)", of: [1, 2, 3]) as? [Int] == [2, 3])
        #expect(value("TERNARY(SELF > 1, 'many', 'one')", of: 2) as? String == "many")
        let date = Date(timeIntervalSinceReferenceDate: 100)
        #expect(value("%@", [date]) as? Date == date)
        #expect(value("%@ + 5", [date]) as? Date == date + 5)
        let id = UUID()
        #expect(value("id", of: ["id": id]) as? UUID == id)
        #expect(abs((value("now()") as? Date ?? .distantPast).timeIntervalSinceNow) < 60)
    }

    @Test func keyPathsAggregateCollections() {
        let team: [String: Any] = ["members": [["age": 30], ["age": 20], [:]] as [[String: Int]], "list": [3, 1]]
        #expect(NSExpression(forKeyPath: "members.@count").expressionValue(with: team, context: nil) as? Int == 3)
        #expect(NSExpression(forKeyPath: "members.@sum.age").expressionValue(with: team, context: nil) as? Int == 50)
        // nil counts as 0 for the average, and the result has the precision of a Double.
        let average = NSExpression(forKeyPath: "members.@avg.age").expressionValue(with: team, context: nil) as? Double
        #expect(average == 50.0 / 3)
        let ages = NSExpression(forKeyPath: "members.age").expressionValue(with: team, context: nil)
        #expect(ages as? [AnyHashable] == [30, 20, NSNull()])
        #expect(NSExpression(forKeyPath: "list").expressionValue(with: team, context: nil) as? [Int] == [3, 1])
        #expect(NSExpression(forKeyPath: "none.more").expressionValue(with: team, context: nil) == nil)
    }

    /// Reference of NSExpression.expressionValue(with:context:): the context contains temporary state, including
    /// variables.
    @Test func variablesComeFromTheContext() {
        let context = NSMutableDictionary(dictionary: ["x": 5])
        #expect(NSExpression(forVariable: "x").expressionValue(with: nil, context: context) as? Int == 5)
        #expect(NSExpression(format: "$x * 2").expressionValue(with: nil, context: context) as? Int == 10)
        #expect(NSExpression(format: "$y := $x + 1").expressionValue(with: nil, context: context) as? Int == 6)
        #expect(context["y"] as? Int == 6)
        #expect(NSExpression(format: "$y").expressionValue(with: nil, context: context) as? Int == 6)
    }

    @Test func expressionsCanBeBuiltInCode() {
        let age = NSExpression(forKeyPath: "age")
        let sum = NSExpression(forFunction: "add:to:", arguments: [age, NSExpression(forConstantValue: 1)])
        #expect(sum.expressionValue(with: ["age": 41], context: nil) as? Int == 42)
        let constant = NSExpression(forConstantValue: ["a", "b"])
        #expect(constant.expressionValue(with: nil, context: nil) as? [String] == ["a", "b"])
        #expect(NSExpression(forConstantValue: nil).expressionValue(with: 1, context: nil) == nil)
        #expect(NSExpression.expressionForEvaluatedObject().expressionValue(with: 7, context: nil) as? Int == 7)
        let predicate = NSPredicate(format: "%@ > 40", age)
        #expect(predicate.evaluate(with: ["age": 41]))
    }

    @Test func objectsWithSlotsAreRead() {
        let record = SlotRecord(["price": 2.5, "count": 4])
        let total = ExpressionEvaluator(NSExpression(format: "price * count"))
        #expect(total.value(with: record) as? Double == 10)
        guard case .real(10) = total.predicateValue(with: record) else {
            Issue.record("not a real")
            return
        }
    }
}
