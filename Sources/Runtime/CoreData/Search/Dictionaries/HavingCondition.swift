internal import Foundation

/// The condition of groups: a predicate over grouped values, aggregates over a group's rows, and columns, which appear
/// as variables.
struct HavingCondition {
    private let evaluator: PredicateEvaluator
    private let aggregates: [GroupExpression.Aggregate]
    /// Whether an in-memory store's values suffice.
    let readsStoredValues: Bool

    init(_ predicate: NSPredicate, _ layout: EntityLayout) {
        let tree = predicate.tree
        var extraction = AggregateExtraction(layout, tree.boxes)
        evaluator = PredicateEvaluator(.tree(extraction.extract(from: tree.syntax), BoxTable(tree.boxes)))
        aggregates = extraction.aggregates
        readsStoredValues = PredicateEvaluator(predicate).reads.areStored(layout)
    }

    /// Returns whether a group meets the condition.
    ///
    /// - Parameters:
    ///   - row: The group's representative row.
    ///   - group: Its rows.
    ///   - columns: The columns of the result.
    ///   - values: Their values for the group.
    func holds(
        _ row: any SlotBacked, group: [any SlotBacked], columns: [FetchColumn], values: [PredicateValue]
    ) -> Bool {
        var variables = AggregateExtraction.variables(aggregates, group)
        for (column, value) in zip(columns, values) { variables[column.name] = value.any ?? NSNull() }
        var session = evaluator.session(substitutionVariables: variables)
        return session.matches(slotted: row)
    }
}
