public import Foundation
internal import PredicateSyntax
internal import RuntimeSupport

// The parts of an expression. Accessing a part that the expression's kind does not have traps, where Apple's framework
// raises an exception.
extension FoundationFactory where Self: NSExpression {
    /// The kind of the expression.
    public var expressionType: ExpressionKindName.Kind {
        // Foundation's raw values on Linux differ from Apple's, so each case is listed.
        switch tree.syntax.expressionType {
        case .constantValue: .constantValue
        case .evaluatedObject: .evaluatedObject
        case .variable: .variable
        case .keyPath: .keyPath
        case .unionSet: .unionSet
        case .intersectSet: .intersectSet
        case .minusSet: .minusSet
        case .subquery: .subquery
        case .aggregate: .aggregate
        case .anyKey: .anyKey
        case .block: .block
        case .conditional: .conditional
        // Kinds without a dedicated case, which in Apple's framework are functions or have no public kind.
        case .function, .fetchRequest, nil: .function
        }
    }

    /// The value of a constant.
    public var constantValue: Any? {
        guard case .constant(let constant) = tree.syntax else { lacks("constantValue") }
        return switch constant {
        case .null: nil
        case .boolean(let flag): NSNumber(value: flag)
        case .integer(let number): NSNumber(value: number)
        case .real(let number): NSNumber(value: number)
        case .string(let text): text
        case .opaque(let reference): tree.boxes.value(of: reference)
        }
    }

    /// The keys of a key path, joined by dots.
    public var keyPath: String {
        guard case .keyPath(let path) = tree.syntax else { lacks("keyPath") }
        return path.keyPath.string
    }

    /// The selector of a function.
    public var function: String {
        switch tree.syntax {
        case .function(let call): call.selector
        case .element: FunctionCall.elementSelector
        default: lacks("function")
        }
    }

    /// The name of a variable, or of the element in a subquery, without `$`.
    public var variable: String {
        switch tree.syntax {
        case .variable(let name): name
        case .subquery(let query): query.variable
        case .assignment(let name, _): name
        default: lacks("variable")
        }
    }

    /// The expression at which a key path begins, or the object of a method call.
    public var operand: NSExpression {
        switch tree.syntax {
        case .keyPath(let path): part(path.operand ?? .evaluatedObject)
        case .function(let call): part(call.operand ?? .constant(.string("_NSPredicateUtilities")))
        default: lacks("operand")
        }
    }

    /// The arguments of a function or block.
    public var arguments: [NSExpression]? {
        switch tree.syntax {
        case .function(let call): call.arguments.map { part($0) }
        case .block(_, let arguments): arguments.map { part($0) }
        case .element(let collection, .expression(let index)): [part(collection), part(index)]
        default: lacks("arguments")
        }
    }

    /// The expressions of an aggregate, as an array, or the collection of a subquery, as an expression.
    public var collection: Any {
        switch tree.syntax {
        case .aggregate(let elements): elements.map { part($0) } as [NSExpression]
        case .subquery(let query): part(query.collection)
        default: lacks("collection")
        }
    }

    /// The predicate of a subquery or a conditional.
    public var predicate: NSPredicate {
        switch tree.syntax {
        case .subquery(let query): PredicateTree(query.predicate, boxes: tree.boxes).makePredicate()
        case .conditional(let predicate, _, _): PredicateTree(predicate, boxes: tree.boxes).makePredicate()
        default: lacks("predicate")
        }
    }

    /// The first operand of a set operation.
    public var left: NSExpression { part(sides("left").left) }

    /// The second operand of a set operation.
    public var right: NSExpression { part(sides("right").right) }

    /// The value of a conditional whose predicate is `true`.
    public var `true`: NSExpression {
        guard case .conditional(_, let first, _) = tree.syntax else { lacks("true") }
        return part(first)
    }

    /// The value of a conditional whose predicate is `false`.
    public var `false`: NSExpression {
        guard case .conditional(_, _, let second) = tree.syntax else { lacks("false") }
        return part(second)
    }

    /// The block of a block expression.
    public var expressionBlock: (Any?, [Any], NSMutableDictionary?) -> Any {
        guard case .block(let reference, _) = tree.syntax, let block = tree.boxes.value(of: reference) as? Block else {
            lacks("expressionBlock")
        }
        return { block.expression($0, $1, $2) ?? NSNull() }
    }

    private func sides(
        _ name: String
    ) -> (left: PredicateSyntax.Expression, right: PredicateSyntax.Expression) {
        switch tree.syntax {
        case .union(let left, let right), .intersect(let left, let right), .minus(let left, let right): (left, right)
        default: lacks(name)
        }
    }

    private func part(_ syntax: PredicateSyntax.Expression) -> NSExpression {
        ExpressionTree(syntax, boxes: tree.boxes).makeExpression()
    }

    private func lacks(_ part: String) -> Never {
        misuse("NSInvalidArgumentException", "the expression \(tree.format) has no \(part)")
    }
}
