internal import Diagnostics
internal import ModelSchema
internal import PredicateSyntax

extension ModelEncoder {
    /// Reads the text of a predicate and writes it; an error and null when it cannot be read.
    mutating func encode(
        predicate text: String, for owner: String, at origin: ElementOrigin?, attribute: String
    ) -> Reference {
        do {
            let predicate = try PredicateParser.parsePredicate(text)
            if let placeholder = predicate.placeholders.first {
                report(
                    error: .invalidPredicate,
                    "the predicate “\(text)” of \(owner) has the argument \(placeholder.spelling), for which nobody gives a value",
                    at: origin, attribute: attribute)
                return .null
            }
            return encode(predicate, at: origin)
        } catch {
            report(
                error: .invalidPredicate,
                "the predicate “\(text)” of \(owner) cannot be read: \(error.message), at character \(error.column)",
                at: origin, attribute: attribute)
            return .null
        }
    }

    /// Writes a predicate (compiled-model.md, 2.8).
    mutating func encode(_ predicate: Predicate, at origin: ElementOrigin?) -> Reference {
        switch predicate {
        case .comparison(let comparison):
            let values: Values = [
                (.leftExpression, .reference(encode(comparison.left, at: origin))),
                (.rightExpression, .reference(encode(comparison.right, at: origin))),
                (.predicateOperator, .reference(encodeOperator(of: comparison, at: origin))),
            ]
            return builder.add(.comparisonPredicate, values)
        case .not, .and, .or:
            let type = predicate.compoundType?.rawValue ?? 0
            let parts = predicate.subpredicates.map { encode($0, at: origin) }
            return builder.add(
                .compoundPredicate,
                [
                    (.compoundType, .integer(Int(type))),
                    (.subpredicates, .reference(builder.add(.array, elements: parts))),
                ])
        case .value(let value): return builder.add(value ? .truePredicate : .falsePredicate, [])
        case .block: return unsupported("a block", at: origin)
        }
    }

    /// Writes an operator. Comparisons, equality, `LIKE` and `CONTAINS` are proven, the last by models that stores hold;
    /// the others follow their pattern.
    private mutating func encodeOperator(of comparison: Comparison, at origin: ElementOrigin?) -> Reference {
        let found = comparison.comparisonOperator
        let options = Int(comparison.options.rawValue)
        var values: Values = [
            (.operatorType, .integer(Int(found.operatorType))),
            (.modifier, .integer(Int(comparison.modifier.rawValue))),
        ]
        switch found {
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
            values += [(.operatorOptions, .integer(options)), (.operatorVariant, .integer(Int(found.operatorType)))]
            return builder.add(.comparisonOperator, values)
        case .equal, .notEqual:
            values += [(.operatorOptions, .integer(options)), (.isNegated, .boolean(found == .notEqual))]
            return builder.add(.equalityOperator, values)
        case .like: return builder.add(.likeOperator, values + [(.operatorFlags, .integer(options))])
        case .matches: return builder.add(.matchingOperator, values + [(.operatorFlags, .integer(options))])
        case .in, .contains: return builder.add(.inOperator, values + [(.operatorFlags, .integer(options))])
        case .beginsWith, .endsWith:
            report(unproven: "the operator \(found.symbol)", at: origin)
            values += [
                (.operatorFlags, .integer(options)), (.substringPosition, .integer(found == .beginsWith ? 0 : 1)),
            ]
            return builder.add(.substringOperator, values)
        case .between:
            report(unproven: "the operator BETWEEN", at: origin)
            return builder.add(.betweenOperator, values)
        case .customSelector(let selector): return unsupported("the operator \(selector)", at: origin)
        }
    }

    /// Writes the expression of a derived attribute as the compiler stores it: collection operators become functions,
    /// and the arguments of such a function stand in an `NSArray`, those of any other in an `NSMutableArray`.
    mutating func encode(derivation: PredicateSyntax.Expression, at origin: ElementOrigin?) -> Reference {
        let stored = derivation.asDerivation
        guard stored != derivation, case .function(let call) = stored else { return encode(stored, at: origin) }
        return encode(call, arguments: .array, at: origin)
    }

    private mutating func encode(_ expression: PredicateSyntax.Expression, at origin: ElementOrigin?) -> Reference {
        let type = (
            ArchiveKey.expressionType, KeyedArchiveBuilder.Value.integer(Int(expression.expressionType?.rawValue ?? 0))
        )
        switch expression {
        case .constant(let constant):
            return builder.add(.constantExpression, [type, (.constantValue, .reference(encode(constant)))])
        case .evaluatedObject: return builder.add(.selfExpression, [type])
        case .variable(let name):
            return builder.add(.variableExpression, [type, (.variable, .reference(builder.add(name)))])
        case .keyPath(let path): return encode(path, at: origin)
        case .function(let call): return encode(call, arguments: .mutableArray, at: origin)
        case .union(let left, let right), .intersect(let left, let right), .minus(let left, let right):
            report(unproven: "a set operation", at: origin)
            let values: Values = [
                (.leftExpression, .reference(encode(left, at: origin))),
                (.rightExpression, .reference(encode(right, at: origin))),
            ]
            return builder.add(.setExpression, [type] + values)
        case .aggregate(let elements):
            report(unproven: "a list in braces", at: origin)
            let references = elements.map { encode($0, at: origin) }
            return builder.add(
                .aggregateExpression, [type, (.collection, .reference(builder.add(.array, elements: references)))])
        case .subquery(let subquery):
            report(unproven: "SUBQUERY", at: origin)
            let values: Values = [
                (.collection, .reference(encode(subquery.collection, at: origin))),
                (.variableExpression, .reference(encode(.variable(subquery.variable), at: origin))),
                (.predicate, .reference(encode(subquery.predicate, at: origin))),
            ]
            return builder.add(.subqueryExpression, [type] + values)
        case .conditional(let condition, let first, let second):
            report(unproven: "TERNARY", at: origin)
            let values: Values = [
                (.predicate, .reference(encode(condition, at: origin))),
                (.trueExpression, .reference(encode(first, at: origin))),
                (.falseExpression, .reference(encode(second, at: origin))),
            ]
            return builder.add(.ternaryExpression, [type] + values)
        case .anyKey:
            report(unproven: "ANYKEY", at: origin)
            return builder.add(.anyKeyExpression, [type])
        case .element(let collection, .expression(let index)):
            report(unproven: "an element in brackets", at: origin)
            return encode(
                FunctionCall(selector: FunctionCall.elementSelector, arguments: [collection, index]),
                arguments: .mutableArray, at: origin)
        case .element, .block, .fetch, .assignment, .predicate, .placeholder:
            return unsupported("“\(expression.predicateFormat)”", at: origin)
        }
    }

    private mutating func encode(_ constant: Constant) -> Reference {
        switch constant {
        case .null, .opaque: .null
        case .boolean(let value): builder.add(value)
        case .integer(let value): builder.add(value)
        case .real(let value): builder.add(value)
        case .string(let text): builder.add(text)
        }
    }

    /// Writes a key path. From the evaluated object it is an expression of its own kind, `valueForKey:` for one key;
    /// from anything else it is a function, `valueForKeyPath:` (seen in models that stores hold).
    private mutating func encode(_ path: KeyPathExpression, at origin: ElementOrigin?) -> Reference {
        let operand = path.startsAtEvaluatedObject ? nil : path.operand
        let selector = operand == nil && path.keyPath.keys.count < 2 ? "valueForKey:" : "valueForKeyPath:"
        let specifier = builder.add(
            .keyPathSpecifier,
            [(.expressionType, .integer(10)), (.keyPath, .reference(builder.add(path.keyPath.string)))])
        let values: Values = [
            (.operand, .reference(encode(operand ?? .evaluatedObject, at: origin))),
            (.selectorName, .reference(builder.add(selector))),
            (.arguments, .reference(builder.add(.mutableArray, elements: [specifier]))),
            (.expressionType, .integer(operand == nil ? 3 : 4)),
        ]
        return builder.add(.keyPathExpression, values)
    }

    private mutating func encode(
        _ call: FunctionCall, arguments listClass: ArchivedClass, at origin: ElementOrigin?
    ) -> Reference {
        let target: Reference
        if let operand = call.operand {
            report(unproven: "FUNCTION", at: origin)
            target = encode(operand, at: origin)
        } else {
            target = builder.add(
                .constantExpression,
                [
                    (.expressionType, .integer(0)),
                    (.constantClassName, .reference(builder.add("_NSPredicateUtilities"))),
                ])
        }
        let arguments = call.arguments.map { encode($0, at: origin) }
        let values: Values = [
            (.operand, .reference(target)),
            (.selectorName, .reference(builder.add(call.selector))),
            (.arguments, .reference(builder.add(listClass, elements: arguments))),
            (.expressionType, .integer(4)),
        ]
        return builder.add(.functionExpression, values)
    }

    private mutating func unsupported(_ what: String, at origin: ElementOrigin?) -> Reference {
        report(error: .unsupportedPredicate, "\(what) cannot be compiled", at: origin)
        return .null
    }
}
