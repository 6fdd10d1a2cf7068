import Testing

@testable import CoreData

/// Internals: parts of Swift predicates that the compiler rejects for managed objects on Linux.
@Suite struct SwiftPredicateInsideTests {
    /// An expression that is evaluated inside another.
    @Test func nestedExpressionsAreConverted() throws {
        let coordinator = try Volume.coordinator()
        let inner = #Expression<Volume, Int32> { $0.pages + 1 }
        let book = PredicateExpressions.Variable<Volume>()
        let outer = PredicateExpressions.Equal(
            lhs: PredicateExpressions.ExpressionEvaluate(expression: PredicateExpressions.Value(inner), input: book),
            rhs: PredicateExpressions.Value(101 as Int32))
        var conversion = PredicateConversion()
        conversion.bind(book.key, to: .evaluatedObject)
        #expect("\(try conversion.condition(outer))" == "pages + 1 == 101")
        // An expression that is not constant cannot be inspected.
        let unknown = PredicateExpressions.Variable<Foundation.Expression<Volume, Int32>>()
        let nested = PredicateExpressions.ExpressionEvaluate(expression: unknown, input: book)
        #expect(throws: PredicateConversion.Unsupported.self) { try conversion.value(nested) }
        withExtendedLifetime(coordinator) {}
    }

    /// Managed objects are not `Codable`, so that no predicate on Linux can contain them; texts can be searched for a
    /// `Character`.
    @Test func characterConstantsAreConverted() throws {
        let context = try Library.context(Volume.coordinator())
        let object = context.make("Book")
        var conversion = PredicateConversion()
        let equal = PredicateExpressions.Equal(
            lhs: PredicateExpressions.Value(object), rhs: PredicateExpressions.Value(object))
        #expect(throws: Never.self) { try conversion.condition(equal) }
        let text = PredicateExpressions.SequenceContains(
            sequence: PredicateExpressions.Value("abc"), element: PredicateExpressions.Value("b" as Character))
        #expect("\(try conversion.condition(text))" == #""abc" CONTAINS "b""#)
        let characters = PredicateExpressions.SequenceMaximum(elements: PredicateExpressions.Value("abc"))
        #expect(throws: PredicateConversion.Unsupported.self) { try conversion.value(characters) }
        struct Point {}
        #expect(throws: PredicateConversion.Unsupported.self) { try conversion.constant(Point()) }
        #expect(throws: PredicateConversion.Unsupported.self) { try conversion.constant([Point()]) }
    }
}
