internal import Foundation

/// The condition of groups: a predicate over grouped values, functions over all rows of a group, and columns, which are named as
/// variables.
struct HavingCondition {
    private let evaluator: PredicateEvaluator
    private let aggregates: [GroupExpression.Aggregate]
    /// Whether what a store in memory holds is enough.
    let readsStoredValues: Bool

    init(_ predicate: NSPredicate, _ layout: EntityLayout) {
        let tree = predicate.tree
        var extraction = AggregateExtraction(layout, tree.boxes)
        evaluator = PredicateEvaluator(.tree(extraction.extract(from: tree.syntax), BoxTable(tree.boxes)))
        aggregates = extraction.aggregates
        var isStored = !evaluator.reads.callsCode
        for keys in evaluator.reads.paths where !FetchKeyPath(keys, layout).isStored { isStored = false }
        for aggregate in aggregates {
            let reads = aggregate.argument.reads
            if reads.callsCode || !reads.paths.allSatisfy({ FetchKeyPath($0, layout).isStored }) { isStored = false }
        }
        readsStoredValues = isStored
    }

    /// Returns whether a group is wanted.
    ///
    /// - Parameters:
    ///   - row: the row that stands for the group.
    ///   - group: its rows.
    ///   - columns: the columns of the result.
    ///   - values: what they are for the group.
    func holds(
        _ row: any SlotBacked, _ group: [any SlotBacked], _ columns: [FetchColumn], _ values: [PredicateValue]
    ) -> Bool {
        var variables = AggregateExtraction.variables(aggregates, group)
        for (column, value) in zip(columns, values) { variables[column.name] = value.any ?? NSNull() }
        var session = evaluator.session(substitutionVariables: variables)
        return session.matches(slotted: row)
    }
}
