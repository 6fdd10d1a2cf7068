/// A value that is computed from an object: the tree behind `NSExpression`.
///
/// The cases follow Apple's expression types (``expressionType``). Four have no public counterpart at Apple, and are
/// separate cases because their text differs: ``element(of:at:)``, ``assignment(variable:value:)``, ``predicate(_:)``
/// and ``placeholder(_:of:)``.
///
/// Foundation has a type with this name: a file that imports both uses `PredicateSyntax.Expression`.
package indirect enum Expression: Hashable, Sendable {
    /// A literal value.
    case constant(Constant)
    /// `SELF`: the evaluated object.
    case evaluatedObject
    /// `$name`: a value that is given later. The name has no dollar sign.
    case variable(String)
    /// Keys that are followed from an object.
    case keyPath(KeyPathExpression)
    /// A function or method call, including arithmetic.
    case function(FunctionCall)
    /// `a UNION b`
    case union(Expression, Expression)
    /// `a INTERSECT b`
    case intersect(Expression, Expression)
    /// `a MINUS b`
    case minus(Expression, Expression)
    /// `SUBQUERY(collection, $x, predicate)`
    case subquery(Subquery)
    /// `{a, b}`
    case aggregate([Expression])
    /// `ANYKEY`: any key of a Spotlight item.
    case anyKey
    /// A block that is called with the values of the arguments, `NSExpression(block:arguments:)`. The parser never
    /// creates one.
    case block(OpaqueValue, arguments: [Expression])
    /// `TERNARY(predicate, a, b)`
    case conditional(Predicate, Expression, Expression)
    /// `FETCH(request, context, countOnly)`, as in mapping models.
    case fetch(FetchExpression)
    /// `a[0]`, `a[FIRST]`, `a["key"]`: at Apple the function `objectFrom:withIndex:`.
    case element(of: Expression, at: ElementIndex)
    /// `$name := value`. The name has no dollar sign.
    case assignment(variable: String, value: Expression)
    /// A predicate where a value is expected, as in `(a > 1) == TRUE`.
    case predicate(Predicate)
    /// A placeholder for an argument. Only `%K` may follow an operand: `$x.%K`.
    case placeholder(Placeholder, of: Expression?)

    /// Apple's `NSExpression.ExpressionType`, and 50 for fetch requests (Documentation/Formats/CompiledModel.md, 2.8).
    package enum ExpressionType: UInt, Hashable, Sendable {
        case constantValue = 0
        /// `SELF`.
        case evaluatedObject = 1
        /// `$name`.
        case variable = 2
        case keyPath = 3
        /// A function call.
        case function = 4
        /// `UNION`.
        case unionSet = 5
        /// `INTERSECT`.
        case intersectSet = 6
        /// `MINUS`.
        case minusSet = 7
        /// `SUBQUERY`.
        case subquery = 13
        /// `{…}`.
        case aggregate = 14
        /// `ANYKEY`.
        case anyKey = 15
        case block = 19
        /// `TERNARY`.
        case conditional = 20
        /// `FETCH`.
        case fetchRequest = 50
    }

    /// Apple's type of this expression. `nil` for an assignment, whose type is not public, for a predicate used as a
    /// value, and for a placeholder.
    package var expressionType: ExpressionType? {
        switch self {
        case .constant: .constantValue
        case .evaluatedObject: .evaluatedObject
        case .variable: .variable
        case .keyPath: .keyPath
        case .function, .element: .function
        case .union: .unionSet
        case .intersect: .intersectSet
        case .minus: .minusSet
        case .subquery: .subquery
        case .aggregate: .aggregate
        case .anyKey: .anyKey
        case .block: .block
        case .conditional: .conditional
        case .fetch: .fetchRequest
        case .assignment, .predicate, .placeholder: nil
        }
    }
}

/// The index in brackets that selects an element of a collection.
package enum ElementIndex: Hashable, Sendable {
    /// The position in an array or the key in a dictionary.
    case expression(Expression)
    /// `[FIRST]`
    case first
    /// `[LAST]`
    case last
    /// `[SIZE]`: the number of elements.
    case size
}
