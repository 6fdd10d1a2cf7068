internal import Foundation
internal import PredicateSyntax

/// An expression over the rows of a group: aggregates such as `sum:` of a row's value are computed over all rows, the
/// rest for a single row.
struct GroupExpression {
    /// An aggregate function over all rows.
    struct Aggregate {
        let function: PredefinedFunction
        let selector: String
        let isDistinct: Bool
        let argument: ExpressionEvaluator
    }

    let aggregates: [Aggregate]
    /// The key paths that are read from a single row.
    let rowPaths: [String]
    /// Whether an in-memory store's values suffice.
    let readsStoredValues: Bool
    private let outer: ExpressionEvaluator

    /// Splits an expression into its parts. Traps if the model lacks a key path.
    init(_ expression: NSExpression, _ layout: EntityLayout) {
        let tree = expression.tree
        var extraction = AggregateExtraction(layout, tree.boxes)
        outer = ExpressionEvaluator(ExpressionTree(extraction.extract(from: tree.syntax), boxes: tree.boxes))
        aggregates = extraction.aggregates
        rowPaths = outer.reads.paths.map { $0.joined(separator: ".") }
        readsStoredValues = ([outer] + aggregates.map(\.argument)).allSatisfy { evaluator in
            !evaluator.reads.callsCode && evaluator.reads.paths.allSatisfy { FetchKeyPath($0, layout).isStored }
        }
    }

    /// Returns the value for a row, or for the rows of a group.
    func value(_ row: (any SlotBacked)?, _ group: [any SlotBacked]) -> PredicateValue {
        let variables = AggregateExtraction.variables(aggregates, group)
        guard let row else {
            // Without rows, only aggregates have values.
            return rowPaths.isEmpty ? outer.predicateValue(withVariables: variables) : .null
        }
        return outer.predicateValue(with: row, substitutionVariables: variables)
    }
}

extension GroupExpression.Aggregate {
    /// Returns the value for the rows of a group. Missing values are ignored, as in SQL.
    func value(_ group: [any SlotBacked]) -> PredicateValue {
        var values = group.lazy.map { argument.predicateValue(with: $0) }.filter { !$0.isNull }
        if isDistinct {
            var seen: Set<HashableValue> = []
            values = values.filter { seen.insert(HashableValue(value: $0)).inserted }
        }
        let list = Array(values)
        switch selector {
        case "count:": return .integer(Int64(list.count))
        case "average:" where list.isEmpty: return .null
        default: return function.body([.collection(PredicateCollection(list, kind: .array))])
        }
    }
}

/// Extracts the aggregates from an expression or a predicate, replacing them with variables.
struct AggregateExtraction {
    private(set) var aggregates: [GroupExpression.Aggregate] = []
    private let layout: EntityLayout
    private let boxes: OpaqueBoxes

    private static let selectors: Set<String> = [
        "count:", "sum:", "min:", "max:", "average:", "median:", "mode:", "stddev:",
    ]

    init(_ layout: EntityLayout, _ boxes: OpaqueBoxes) {
        self.layout = layout
        self.boxes = boxes
    }

    /// Returns the variable of an aggregate. The space distinguishes it from variables in format strings.
    private static func name(_ index: Int) -> String { "aggregate \(index)" }

    /// Returns the values of the variables.
    static func variables(
        _ aggregates: [GroupExpression.Aggregate], _ group: [any SlotBacked]
    ) -> [String: Any] {
        var result: [String: Any] = [:]
        for (index, aggregate) in aggregates.enumerated() {
            result[name(index)] = aggregate.value(group).any ?? NSNull()
        }
        return result
    }

    mutating func extract(from expression: PredicateSyntax.Expression) -> PredicateSyntax.Expression {
        expression.mapExpressions { replaced($0) }
    }

    mutating func extract(from predicate: PredicateSyntax.Predicate) -> PredicateSyntax.Predicate {
        predicate.mapExpressions { replaced($0) }
    }

    private mutating func replaced(_ expression: PredicateSyntax.Expression) -> PredicateSyntax.Expression {
        guard case .function(let call) = expression, call.operand == nil, call.arguments.count == 1,
            Self.selectors.contains(call.selector), let function = PredefinedFunction.all[call.selector]
        else { return expression }
        var argument = call.arguments[0]
        var isDistinct = false
        if case .function(let inner) = argument, inner.selector == "distinct:", inner.arguments.count == 1 {
            argument = inner.arguments[0]
            isDistinct = true
        }
        guard isValueOfRow(argument) else { return expression }
        aggregates.append(
            GroupExpression.Aggregate(
                function: function, selector: call.selector, isDistinct: isDistinct,
                argument: ExpressionEvaluator(ExpressionTree(argument, boxes: boxes))))
        return .variable(Self.name(aggregates.count - 1))
    }

    /// Returns whether an expression has one value per row: neither a collection nor a variable.
    private func isValueOfRow(_ expression: PredicateSyntax.Expression) -> Bool {
        switch expression {
        case .constant(let constant):
            if case .opaque(let reference) = constant, let value = boxes.value(of: reference) {
                return PredicateValue(any: value).elements == nil
            }
            return true
        case .evaluatedObject: return true
        case .keyPath(let path):
            guard path.startsAtEvaluatedObject else { return false }
            return !FetchKeyPath(path.keyPath.keys, layout).passesToMany
        case .function(let call): return call.operand == nil && call.arguments.allSatisfy(isValueOfRow)
        case .conditional(_, let first, let second): return isValueOfRow(first) && isValueOfRow(second)
        default: return false
        }
    }
}
