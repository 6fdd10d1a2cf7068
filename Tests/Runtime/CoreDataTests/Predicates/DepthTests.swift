import CoreData
import Testing

/// The process survives trees of any depth.
@Suite struct DepthTests {
    /// A depth at which Foundation's own objects can be released: the limit is about 20,000 levels on a stack of 8 MB.
    private let depth = 5000

    @Test func deepNegationsAreEvaluated() {
        var predicate: NSPredicate = NSPredicate(format: "a == 1")
        for _ in 0..<depth { predicate = NSCompoundPredicate(notPredicateWithSubpredicate: predicate) }
        #expect(PredicateEvaluator(predicate).evaluate(with: ["a": 1]))
        #expect(!PredicateEvaluator(predicate).evaluate(with: ["a": 2]))
    }

    /// Predicates with 50,000 levels are evaluated, used for fetches from both types of store, and released.
    @Test(arguments: [true, false])
    func theDeepestPredicatesAreEvaluated(isNegation: Bool) async {
        if isNegation {
            await #expect(processExitsWith: .success) { try DepthTests.useDeepestPredicate(isNegation: true) }
        } else {
            await #expect(processExitsWith: .success) { try DepthTests.useDeepestPredicate(isNegation: false) }
        }
    }

    private static func useDeepestPredicate(isNegation: Bool) throws {
        var predicate: NSPredicate = NSPredicate(format: "age == 1")
        for level in 0..<50_000 {
            predicate =
                isNegation
                ? NSCompoundPredicate(notPredicateWithSubpredicate: predicate)
                : level % 2 == 0
                    ? NSCompoundPredicate(orPredicateWithSubpredicates: [NSPredicate(value: false), predicate])
                    : NSCompoundPredicate(andPredicateWithSubpredicates: [predicate, NSPredicate(value: true)])
        }
        guard PredicateEvaluator(predicate).evaluate(with: ["age": 1]),
            !PredicateEvaluator(predicate).evaluate(with: ["age": 2])
        else { exit(2) }
        let store = try TestStore()
        for context in [try Library.context(), try store.open()] {
            try context.performAndWait {
                for age in 0..<3 { _ = context.make("Author", ["age": age]) }
                for isSaved in [false, true] {
                    if isSaved { try context.save() }
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
                    request.predicate = predicate
                    guard try context.fetch(request).count == 1, try context.count(for: request) == 1 else { exit(3) }
                }
            }
        }
        // The next deep predicate releases this one level by level.
        predicate = NSPredicate(value: true)
        var next: NSPredicate = NSPredicate(value: true)
        for _ in 0..<5000 { next = NSCompoundPredicate(notPredicateWithSubpredicate: next) }
        guard PredicateEvaluator(next).evaluate(with: nil) else { exit(4) }
    }

    /// Operations that use stack at every level are limited to 2000 levels.
    @Test func substitutionDepthIsLimited() async {
        func nested(_ depth: Int) -> NSPredicate {
            var predicate: NSPredicate = NSPredicate(format: "a == $A")
            for _ in 0..<depth { predicate = NSCompoundPredicate(notPredicateWithSubpredicate: predicate) }
            return predicate
        }
        let substituted = nested(1990).withSubstitutionVariables(["A": 1])
        #expect(substituted.evaluate(with: ["a": 1]))
        #expect(substituted == substituted.copy() as? NSPredicate)
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var predicate: NSPredicate = NSPredicate(format: "a == $A")
            for _ in 0..<5000 { predicate = NSCompoundPredicate(notPredicateWithSubpredicate: predicate) }
            _ = predicate.withSubstitutionVariables(["A": 1])
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("a predicate nests deeper than 2000 levels"))
    }

    @Test func deepAlternationsAreEvaluated() {
        var predicate: NSPredicate = NSPredicate(format: "a == 1")
        for level in 0..<depth {
            let other = NSPredicate(format: "b == %d", level)
            predicate =
                level % 2 == 0
                ? NSCompoundPredicate(orPredicateWithSubpredicates: [other, predicate])
                : NSCompoundPredicate(andPredicateWithSubpredicates: [NSPredicate(format: "c == 0"), predicate])
        }
        let evaluator = PredicateEvaluator(predicate)
        #expect(evaluator.evaluate(with: ["a": 1, "b": -1, "c": 0]))
        #expect(!evaluator.evaluate(with: ["a": 2, "b": -1, "c": 0]))
        #expect(evaluator.evaluate(with: ["a": 2, "b": depth - 2, "c": 0]))
        #expect(!evaluator.evaluate(with: ["a": 1, "b": -1, "c": 1]))
    }

    @Test func wideCompoundsAreEvaluated() {
        let parts = (0..<20_000).map { NSPredicate(format: "a == %d", $0) }
        let either = NSCompoundPredicate(orPredicateWithSubpredicates: parts)
        #expect(either.evaluate(with: ["a": 19_999]))
        #expect(!either.evaluate(with: ["a": 20_000]))
        #expect(PredicateEvaluator(either).evaluate(with: ["a": 19_999]))
    }

    /// The deepest texts accepted by the parser, in every shape, on a small stack.
    @Test func theDeepestTextsFitASmallStack() async {
        let nested = (
            sums: String(repeating: "(1 + ", count: 99) + "a" + String(repeating: ")", count: 99),
            subqueries: (0..<48).reduce("$x48 == 1") { inner, level in
                "SUBQUERY({1}, $x\(48 - level), \(inner)).@count == 1"
            },
            conditionals: String(repeating: "TERNARY(a == 1, ", count: 90) + "a" + String(repeating: ", 2)", count: 90)
        )
        let texts = [nested.sums + " == 100", nested.subqueries, nested.conditionals + " == 1"]
        await onSmallStack {
            for text in texts {
                #expect(NSPredicate(format: text).evaluate(with: ["a": 1]), "\(text.prefix(40))")
            }
        }
    }

    /// Runs code on a thread with a stack of 1 MB, an eighth of the size on Linux.
    private func onSmallStack(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            let thread = Thread {
                body()
                continuation.resume()
            }
            thread.stackSize = 1 << 20
            thread.start()
        }
    }

    /// An expression within the documented limit of 500 levels, which can be built only in code.
    @Test func theDeepestExpressionIsEvaluated() {
        var expression = NSExpression(forKeyPath: "a")
        for _ in 0..<450 {
            expression = NSExpression(
                forFunction: "add:to:", arguments: [expression, NSExpression(forConstantValue: 1)])
        }
        #expect(expression.expressionValue(with: ["a": 1], context: nil) as? Int == 451)
    }

    /// The same, with a predicate at every other level.
    @Test func nestedConditionsAreEvaluated() async {
        await onSmallStack {
            let one = NSExpression(forConstantValue: 1)
            var expression = NSExpression(forKeyPath: "a")
            for _ in 0..<160 {
                let condition = NSComparisonPredicate(
                    leftExpression: expression, rightExpression: one, modifier: .direct, type: .equalTo)
                expression = NSExpression(
                    forConditional: condition, trueExpression: one, falseExpression: NSExpression(forConstantValue: 2))
            }
            #expect(expression.expressionValue(with: ["a": 1], context: nil) as? Int == 1)
            #expect(expression.expressionValue(with: ["a": 5], context: nil) as? Int == 2)
        }
    }

    /// A deeper expression traps with an explanation when it is built, since releasing it could overflow the stack.
    @Test func expressionsBeyondTheLimitTrap() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var expression = NSExpression(forKeyPath: "a")
            for _ in 0..<50_000 {
                expression = NSExpression(forFunction: "abs:", arguments: [expression])
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("an expression nests deeper than 500 levels"))
    }
}
