internal import Foundation
internal import PredicateSyntax

/// An expression over the rows of a group: aggregates such as `sum:` of a row's value are computed over all rows, the
/// rest for a single row. In a group, a to-many relationship has the members of all rows.
struct GroupExpression {
    /// A value computed from all rows.
    struct Aggregate {
        /// The function of the rows' values; `nil` for the members of a to-many relationship.
        let function: (selector: String, body: PredefinedFunction)?
        let isDistinct: Bool
        let argument: ExpressionEvaluator

        /// Whether this is the minimum or the maximum.
        var isExtreme: Bool { function?.selector == "min:" || function?.selector == "max:" }
    }

    let aggregates: [Aggregate]
    /// The key paths that are read from a single row.
    let rowPaths: [String]
    /// Whether an in-memory store's values suffice.
    let readsStoredValues: Bool
    private let outer: ExpressionEvaluator

    /// Splits an expression into its parts. Traps if the model lacks a key path.
    ///
    /// - Parameter isGrouped: Whether the expression is evaluated for groups of rows.
    init(_ expression: NSExpression, _ layout: EntityLayout, isGrouped: Bool) {
        let tree = expression.tree
        var extraction = AggregateExtraction(layout, tree.boxes)
        outer = ExpressionEvaluator(
            ExpressionTree(extraction.extract(from: tree.syntax, isGrouped: isGrouped), boxes: tree.boxes))
        aggregates = extraction.aggregates
        rowPaths = outer.reads.paths.map { $0.joined(separator: ".") }
        readsStoredValues = ExpressionEvaluator(tree).reads.areStored(layout)
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

extension ProgramReads {
    /// Returns whether an in-memory store's values suffice. Traps if the model lacks a key path.
    func areStored(_ layout: EntityLayout) -> Bool {
        !callsCode && paths.allSatisfy { FetchKeyPath($0, layout).isStored }
    }
}

extension GroupExpression.Aggregate {
    /// Returns the value for the rows of a group. Missing values are ignored, as in SQL.
    func value(_ group: [any SlotBacked]) -> PredicateValue {
        var values = group.map { argument.predicateValue(with: $0) }.filter { !$0.isNull }
        guard let function else {
            // An object that is a member of several rows counts for each, as in a join.
            return .collection(PredicateCollection(values.flatMap { $0.elements ?? [] }, kind: .set))
        }
        if isDistinct {
            var seen: Set<HashableValue> = []
            values = values.filter { seen.insert(HashableValue(value: $0)).inserted }
        }
        switch function.selector {
        case "count:": return .integer(Int64(values.count))
        case "average:" where values.isEmpty: return .null
        default: return function.body.body([.collection(PredicateCollection(values, kind: .array))])
        }
    }
}

/// Extracts the aggregates from an expression or a predicate, replacing them with variables.
struct AggregateExtraction {
    private(set) var aggregates: [GroupExpression.Aggregate] = []
    private let layout: EntityLayout
    private let boxes: OpaqueBoxes

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
            result[name(index)] =
                switch aggregate.value(group) {
                case .collection(let collection): collection
                case let value: value.any ?? NSNull()
                }
        }
        return result
    }

    /// Returns an expression without its aggregates and, for groups, without its to-many relationships.
    mutating func extract(
        from expression: PredicateSyntax.Expression, isGrouped: Bool
    ) -> PredicateSyntax.Expression {
        let outer = expression.mapExpressions { withoutFunction($0) }
        return isGrouped ? outer.mapExpressions { withoutMembers($0) } : outer
    }

    /// Returns a condition of groups without its aggregates and to-many relationships.
    mutating func extract(from predicate: PredicateSyntax.Predicate) -> PredicateSyntax.Predicate {
        predicate.mapExpressions { withoutFunction($0) }.mapExpressions { withoutMembers($0) }
    }

    private mutating func withoutFunction(_ expression: PredicateSyntax.Expression) -> PredicateSyntax.Expression {
        guard case .function(let call) = expression, let argument = argument(ofAggregate: call),
            let function = PredefinedFunction.all[call.selector]
        else { return expression }
        if case .function(let inner) = argument, inner.selector == "distinct:", inner.arguments.count == 1 {
            guard isValueOfRow(inner.arguments[0]) else { return expression }
            return variable((call.selector, function), isDistinct: true, inner.arguments[0])
        }
        guard isValueOfRow(argument) else { return expression }
        return variable((call.selector, function), isDistinct: false, argument)
    }

    /// Replaces the to-many relationship at the start of a key path with the members of all rows.
    private mutating func withoutMembers(_ expression: PredicateSyntax.Expression) -> PredicateSyntax.Expression {
        guard case .keyPath(let path) = expression, path.startsAtEvaluatedObject,
            let position = FetchKeyPath(path.keyPath.keys, layout).firstToMany
        else { return expression }
        let (members, rest) = (path.keyPath.keys[...position], path.keyPath.keys[(position + 1)...])
        let variable = variable(
            nil, isDistinct: false, .keyPath(KeyPathExpression(DottedKeyPath(members.joined(separator: ".")))))
        guard !rest.isEmpty else { return variable }
        return .keyPath(KeyPathExpression(DottedKeyPath(rest.joined(separator: ".")), of: variable))
    }

    private mutating func variable(
        _ function: (String, PredefinedFunction)?, isDistinct: Bool, _ argument: PredicateSyntax.Expression
    ) -> PredicateSyntax.Expression {
        aggregates.append(
            GroupExpression.Aggregate(
                function: function, isDistinct: isDistinct,
                argument: ExpressionEvaluator(ExpressionTree(argument, boxes: boxes))))
        return .variable(Self.name(aggregates.count - 1))
    }

    /// Returns the argument of a function of many values; `nil` for other functions.
    private func argument(ofAggregate call: FunctionCall) -> PredicateSyntax.Expression? {
        guard call.operand == nil, call.arguments.count == 1, PredefinedFunction.aggregates.contains(call.selector)
        else { return nil }
        return call.arguments[0]
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
            let position = path.keyPath.collectionOperatorIndex
            return !FetchKeyPath(path.keyPath.keys, layout).passesToMany
                || position.map { Self.reducers.contains(path.keyPath.keys[$0]) } ?? false
        case .function(let call):
            if let argument = argument(ofAggregate: call), isMembers(argument) { return true }
            return call.operand == nil && call.arguments.allSatisfy(isValueOfRow)
        case .conditional(_, let first, let second): return isValueOfRow(first) && isValueOfRow(second)
        default: return false
        }
    }

    private static let reducers: Set<String> = ["@count", "@sum", "@avg", "@min", "@max"]

    /// Returns whether an expression has the members of a row's to-many relationship, or their values.
    private func isMembers(_ expression: PredicateSyntax.Expression) -> Bool {
        guard case .keyPath(let path) = expression, path.startsAtEvaluatedObject,
            path.keyPath.collectionOperatorIndex == nil
        else { return false }
        return FetchKeyPath(path.keyPath.keys, layout).passesToMany
    }
}
