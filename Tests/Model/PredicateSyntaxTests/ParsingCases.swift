import PredicateSyntax
import Testing

/// A predicate's text, the expected tree, and the source of the expectation.
struct PredicateCase: Sendable, CustomTestStringConvertible {
    let text: String
    let tree: Predicate
    let source: Source

    init(_ text: String, _ tree: Predicate, _ source: Source) {
        self.text = text
        self.tree = tree
        self.source = source
    }

    var testDescription: String { text }
}

/// An expression's text, the expected tree, and the source of the expectation.
struct ExpressionCase: Sendable, CustomTestStringConvertible {
    let text: String
    let tree: PredicateSyntax.Expression
    let source: Source

    init(_ text: String, _ tree: PredicateSyntax.Expression, _ source: Source) {
        self.text = text
        self.tree = tree
        self.source = source
    }

    var testDescription: String { text }
}

/// The source of an expectation.
enum Source: String, Sendable {
    /// Apple, Predicate Programming Guide, "Predicate Format String Syntax".
    case formatSyntax
    /// The same guide, "Creating Predicates" and "Using Predicates".
    case predicateGuide
    /// Apple's documentation of NSExpression and NSComparisonPredicate.
    case classReference
    /// Apple's documentation of NSNumber, `description(withLocale:)`.
    case numberReference
    /// Documentation/Formats/CompiledModel.md, 2.8 and Documentation/Formats/VersionHashes.md, 2.3.
    case compiledModel
    /// Documentation/Formats/RuntimeBehavior.md, 5.3 and Documentation/Formats/MappingModel.md, 2.6.
    case runtimeSpec
    /// Documentation/Formats/ModelSource.md, 2.5: texts in real models.
    case vocabulary
    /// The output of Apple's framework, which its documentation does not describe.
    case brief
    /// A choice of this module; Apple's behavior is unknown.
    case ownChoice
}

extension PredicateSyntax.Expression {
    static let a = PredicateSyntax.Expression.key("a")
    static let b = PredicateSyntax.Expression.key("b")
    static let c = PredicateSyntax.Expression.key("c")
    static let one = PredicateSyntax.Expression.integer(1)

    static func infix(
        _ left: PredicateSyntax.Expression, _ sign: ArithmeticOperator, _ right: PredicateSyntax.Expression
    ) -> PredicateSyntax.Expression {
        .function(FunctionCall(left: left, arithmeticOperator: sign, right: right))
    }
}

extension Predicate {
    static let isA = Predicate.compare(.a, using: .equal, right: .one)
    static let isB = Predicate.compare(.b, using: .equal, right: .one)
    static let isC = Predicate.compare(.c, using: .equal, right: .one)
}
