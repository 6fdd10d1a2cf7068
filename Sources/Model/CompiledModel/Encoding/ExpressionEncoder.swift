package import PredicateSyntax

/// Writes predicates and expressions into an archive (Documentation/Formats/CompiledModel.md, 2.8;
/// Documentation/Formats/MappingModel.md, 2.1).
package struct ExpressionEncoder {
    package typealias Reference = KeyedArchiveBuilder.Reference
    private typealias Values = [(ArchiveKey, KeyedArchiveBuilder.Value)]

    /// The kind of archive that is written. Some expressions are proven only in mapping models.
    package enum Purpose {
        /// A compiled model.
        case model
        /// A compiled mapping model.
        case mappingModel
    }

    /// A part that no known file of Apple's compiler contains.
    package enum Problem: Equatable {
        /// A part whose form in Apple's files is unproven.
        case unproven(String)
        /// A part that no archive can hold, for which null was written.
        case unsupported(String)
    }

    /// The archive that is written.
    package var builder: KeyedArchiveBuilder
    /// The problems since the caller last emptied the list.
    package var problems: [Problem] = []
    private let purpose: Purpose

    /// Creates an encoder that writes into an archive.
    package init(_ builder: KeyedArchiveBuilder, for purpose: Purpose) {
        self.builder = builder
        self.purpose = purpose
    }

    /// Writes a predicate (Documentation/Formats/CompiledModel.md, 2.8).
    package mutating func encode(_ predicate: Predicate) -> Reference {
        switch predicate {
        case .comparison(let comparison):
            let values: Values = [
                (.leftExpression, .reference(encode(comparison.left))),
                (.rightExpression, .reference(encode(comparison.right))),
                (.predicateOperator, .reference(encodeOperator(of: comparison))),
            ]
            return builder.add(.comparisonPredicate, values)
        case .not, .and, .or:
            let type = predicate.compoundType?.rawValue ?? 0
            let parts = predicate.subpredicates.map { encode($0) }
            return builder.add(
                .compoundPredicate,
                [
                    (.compoundType, .integer(Int(type))),
                    (.subpredicates, .reference(builder.add(.array, elements: parts))),
                ])
        case .value(let value): return builder.add(value ? .truePredicate : .falsePredicate, [])
        case .block: return unsupported("a block")
        }
    }

    /// Writes an operator. Comparisons, equality, `LIKE` and `CONTAINS` are proven, the last by models in stores; the
    /// others follow their pattern.
    private mutating func encodeOperator(of comparison: Comparison) -> Reference {
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
            report(unproven: "the operator \(found.symbol)")
            values += [
                (.operatorFlags, .integer(options)), (.substringPosition, .integer(found == .beginsWith ? 0 : 1)),
            ]
            return builder.add(.substringOperator, values)
        case .between:
            report(unproven: "the operator BETWEEN")
            return builder.add(.betweenOperator, values)
        case .customSelector(let selector): return unsupported("the operator \(selector)")
        }
    }

    /// Writes an expression. The arguments of functions are in an `NSMutableArray`, those of a fetch request in an
    /// `NSArray`.
    package mutating func encode(_ expression: PredicateSyntax.Expression) -> Reference {
        let type = (
            ArchiveKey.expressionType, KeyedArchiveBuilder.Value.integer(Int(expression.expressionType?.rawValue ?? 0))
        )
        switch expression {
        case .constant(let constant):
            return builder.add(.constantExpression, [type, (.constantValue, .reference(encode(constant)))])
        case .evaluatedObject: return builder.add(.selfExpression, [type])
        case .variable(let name):
            return builder.add(.variableExpression, [type, (.variable, .reference(builder.add(name)))])
        case .keyPath(let path): return encode(path)
        case .function(let call): return encode(call, arguments: .mutableArray)
        case .union(let left, let right), .intersect(let left, let right), .minus(let left, let right):
            report(unproven: "a set operation")
            let values: Values = [
                (.leftExpression, .reference(encode(left))),
                (.rightExpression, .reference(encode(right))),
            ]
            return builder.add(.setExpression, [type] + values)
        case .aggregate(let elements):
            report(unproven: "a list in braces")
            let references = elements.map { encode($0) }
            return builder.add(
                .aggregateExpression, [type, (.collection, .reference(builder.add(.array, elements: references)))])
        case .subquery(let subquery): return builder.add(.subqueryExpression, [type] + values(of: subquery))
        case .conditional(let condition, let first, let second):
            report(unproven: "TERNARY")
            let values: Values = [
                (.predicate, .reference(encode(condition))),
                (.trueExpression, .reference(encode(first))),
                (.falseExpression, .reference(encode(second))),
            ]
            return builder.add(.ternaryExpression, [type] + values)
        case .anyKey:
            report(unproven: "ANYKEY")
            return builder.add(.anyKeyExpression, [type])
        case .element(let collection, .expression(let index)):
            report(unproven: "an element in brackets")
            return encode(
                FunctionCall(selector: FunctionCall.elementSelector, arguments: [collection, index]),
                arguments: .mutableArray)
        case .fetch(let fetch) where purpose == .mappingModel:
            return builder.add(.fetchRequestExpression, [type] + values(of: fetch))
        case .element, .block, .fetch, .assignment, .predicate, .placeholder:
            return unsupported("“\(expression.predicateFormat)”")
        }
    }

    private mutating func values(of subquery: Subquery) -> Values {
        report(unproven: "SUBQUERY")
        return [
            (.collection, .reference(encode(subquery.collection))),
            (.variableExpression, .reference(encode(.variable(subquery.variable)))),
            (.predicate, .reference(encode(subquery.predicate))),
        ]
    }

    private mutating func values(of fetch: FetchExpression) -> Values {
        let request: Reference
        if case .function(let call) = fetch.request {
            request = encode(call, arguments: .array)
        } else {
            request = encode(fetch.request)
        }
        return [
            (.countOnly, .boolean(fetch.countOnly)), (.fetchRequestExpression, .reference(request)),
            (.contextExpression, .reference(encode(fetch.context))),
        ]
    }

    /// Writes the expression of a derived attribute as the compiler stores it: collection operators become functions,
    /// whose arguments are in an `NSArray`; those of any other function are in an `NSMutableArray`.
    package mutating func encode(derivation: PredicateSyntax.Expression) -> Reference {
        let stored = derivation.asDerivation
        guard stored != derivation, case .function(let call) = stored else { return encode(stored) }
        return encode(call, arguments: .array)
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

    /// Writes a key path. For the evaluated object it is a separate kind of expression, `valueForKey:` for one key; for
    /// anything else it is a function, `valueForKeyPath:` (as in models in stores).
    private mutating func encode(_ path: KeyPathExpression) -> Reference {
        let operand = path.startsAtEvaluatedObject ? nil : path.operand
        let selector = operand == nil && path.keyPath.keys.count < 2 ? "valueForKey:" : "valueForKeyPath:"
        let specifier = builder.add(
            .keyPathSpecifier,
            [(.expressionType, .integer(10)), (.keyPath, .reference(builder.add(path.keyPath.string)))])
        let values: Values = [
            (.operand, .reference(encode(operand ?? .evaluatedObject))),
            (.selectorName, .reference(builder.add(selector))),
            (.arguments, .reference(builder.add(.mutableArray, elements: [specifier]))),
            (.expressionType, .integer(operand == nil ? 3 : 4)),
        ]
        return builder.add(.keyPathExpression, values)
    }

    private mutating func encode(
        _ call: FunctionCall, arguments listClass: ArchivedClass
    ) -> Reference {
        let target: Reference
        if let operand = call.operand {
            if purpose == .model { report(unproven: "FUNCTION") }
            target = encode(operand)
        } else {
            target = builder.add(
                .constantExpression,
                [
                    (.expressionType, .integer(0)),
                    (.constantClassName, .reference(builder.add("_NSPredicateUtilities"))),
                ])
        }
        let arguments = call.arguments.map { encode($0) }
        let values: Values = [
            (.operand, .reference(target)),
            (.selectorName, .reference(builder.add(call.selector))),
            (.arguments, .reference(builder.add(listClass, elements: arguments))),
            (.expressionType, .integer(4)),
        ]
        return builder.add(.functionExpression, values)
    }

    private mutating func report(unproven what: String) {
        problems.append(.unproven(what))
    }

    private mutating func unsupported(_ what: String) -> Reference {
        problems.append(.unsupported(what))
        return .null
    }
}
