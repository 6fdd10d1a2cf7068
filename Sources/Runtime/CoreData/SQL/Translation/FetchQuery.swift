internal import Foundation
internal import PredicateSyntax

/// A fetch request in SQL.
package struct FetchQuery {
    /// The fetched object.
    package let root: ObjectReference
    /// The condition for rows; `nil` for all rows of the table.
    var condition: SQLFragment?
    /// Whether `condition` expresses the whole predicate. If not, the predicate is evaluated for each object, and the
    /// limit applied after that.
    package var isFiltered: Bool
    /// The terms by which rows are sorted.
    private(set) var sortTerms: [SortTerm]
    /// Whether `sortTerms` expresses all sort descriptors. If not, the caller sorts and applies the limit.
    package var isSorted: Bool
    var limit: Int
    var offset: Int
    private let includesSubentities: Bool
    /// Whether the tables of relationships are needed.
    private var hasJoins = true

    init(
        _ root: ObjectReference, condition: SQLFragment?, isFiltered: Bool, sortTerms: [SortTerm]?,
        _ settings: FetchSettings
    ) {
        self.root = root
        self.condition = condition
        self.isFiltered = isFiltered
        self.sortTerms = sortTerms ?? []
        isSorted = sortTerms != nil
        limit = settings.fetchLimit
        offset = settings.fetchOffset
        includesSubentities = settings.includesSubentities
    }

    private var dialect: any SQLDialect { root.scope.dialect }

    /// The tables with the joins so far.
    var tables: SQLFragment {
        hasJoins ? root.scope.tables : root.scope.firstTable
    }

    /// A value to sort by.
    struct SortTerm {
        var value: SQLFragment
        var isAscending: Bool
    }

    /// The ORDER BY clause; `nil` if there is none.
    var order: SQLFragment? {
        guard !sortTerms.isEmpty else { return nil }
        return .joined(sortTerms.map { dialect.sortTerm($0.value, isAscending: $0.isAscending) }, ", ")
    }

    /// Whether SQL expresses the whole request, so that its results are final.
    package var isComplete: Bool { isFiltered && isSorted }

    package func select(_ columns: SQLFragment) -> SQLFragment {
        applyingRange(to: "SELECT \(columns) FROM \(tables)\(filter)\(sorting)")
    }

    /// A SELECT of the number of results, which does not depend on their order. Only meaningful if `isFiltered` is
    /// `true`.
    package var count: SQLFragment {
        guard limit > 0 || offset > 0 else { return "SELECT COUNT(*) FROM \(tables)\(filter)" }
        return "SELECT COUNT(*) FROM \(dialect.table("SELECT 1 FROM \(tables)\(filter)\(range)"))"
    }

    /// Reduces the query to the entity's rows, leaving the rest to be done in memory.
    package mutating func dropPredicateAndOrder() {
        condition = FetchTranslator.entityCondition(root, includesSubentities: includesSubentities)
        sortTerms = []
        isFiltered = false
        isSorted = false
        hasJoins = false
    }

    var filter: SQLFragment { condition.map { " WHERE \($0)" } ?? "" }

    private var sorting: SQLFragment {
        let terms = [order, needsTotalOrder ? dialect.column(dialect.keyColumn, of: root.alias) : nil].compactMap(
            \.self)
        return terms.isEmpty ? "" : " ORDER BY \(terms, ", ")"
    }

    /// Whether the rows need an order in which none are equal. Without it, pages would overlap and miss rows.
    var needsTotalOrder: Bool { !dialect.hasStableOrder && (!sortTerms.isEmpty || limit > 0 || offset > 0) }

    /// Returns a statement with limit and offset, if nothing else must be done before these.
    func applyingRange(to statement: SQLFragment) -> SQLFragment {
        guard isComplete, limit > 0 || offset > 0 else { return statement }
        return "\(statement)\(range)"
    }

    private var range: SQLFragment { dialect.range(limit: limit > 0 ? limit : nil, offset: max(offset, 0)) }
}
