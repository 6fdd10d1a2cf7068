internal import Foundation
internal import PredicateSyntax

/// A fetch request in SQL.
package struct FetchQuery {
    /// The fetched object.
    package let root: ObjectReference
    /// The condition for rows; nil for all rows of the table.
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

    /// The ORDER BY clause; nil if there is none.
    var order: SQLFragment? {
        guard !sortTerms.isEmpty else { return nil }
        return .joined(sortTerms.map { dialect.sortTerm($0.value, isAscending: $0.isAscending) }, ", ")
    }

    /// Whether SQL expresses the whole request, so that its results are final.
    package var isComplete: Bool { isFiltered && isSorted }

    /// Returns a SELECT of columns.
    package func select(_ columns: SQLFragment) -> SQLFragment {
        cut("SELECT \(columns) FROM \(tables)\(filter)\(sorting)")
    }

    /// A SELECT of the number of results, which does not depend on their order. Only meaningful if `isFiltered` is true.
    package var count: SQLFragment {
        guard limit > 0 || offset > 0 else { return "SELECT COUNT(*) FROM \(tables)\(filter)" }
        return "SELECT COUNT(*) FROM \(dialect.table("SELECT 1 FROM \(tables)\(filter)\(range)"))"
    }

    /// Reduces the query to the entity's rows, leaving the rest to be done in memory.
    package mutating func loosen() {
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
    func cut(_ statement: SQLFragment) -> SQLFragment {
        guard isComplete, limit > 0 || offset > 0 else { return statement }
        return "\(statement)\(range)"
    }

    private var range: SQLFragment { dialect.range(limit: limit > 0 ? limit : nil, offset: max(offset, 0)) }
}

/// Translates fetch requests to SQL.
package struct FetchTranslator {
    package let model: FetchModel

    package init(model: FetchModel) {
        self.model = model
    }

    /// Returns the statement for a request.
    ///
    /// - Parameters:
    ///   - settings: the request.
    ///   - entity: its entity.
    /// - Throws: `RefusedRequest` for requests that Apple's SQLite store rejects.
    package func query(_ settings: FetchSettings, _ entity: FetchEntity) throws -> FetchQuery {
        try query(settings, translator(entity))
    }

    /// Returns a translator for predicates on an entity.
    func translator(_ entity: FetchEntity) throws -> PredicateTranslator {
        let scope = try QueryScope(entity.mapping.table, QueryScope.AliasCounter(model.dialect))
        return PredicateTranslator(model, root: ObjectReference(row: scope.alias, entity, in: scope))
    }

    func query(_ settings: FetchSettings, _ translator: PredicateTranslator) throws -> FetchQuery {
        let root = translator.root
        let entityCondition = Self.entityCondition(root, includesSubentities: settings.includesSubentities)
        let predicate = try settings.predicate.map { try translator.condition($0) } ?? .always
        let order = try self.order(settings.sortDescriptors ?? [], translator)
        var conditions: [SQLFragment] = []
        if let predicate, predicate.answer != true { conditions.append(predicate.sql(model.dialect)) }
        if let entityCondition { conditions.append(entityCondition) }
        let excluding = translator.excluding(settings.excluded)
        if let excluding, excluding.answer == nil { conditions.append(excluding.sql(model.dialect)) }
        let condition: SQLFragment? =
            switch conditions.count {
            case 0: nil
            case 1: conditions[0]
            default: .joined(conditions.map { "(\($0))" }, " AND ")
            }
        return FetchQuery(
            root, condition: condition, isFiltered: excluding != nil && predicate?.isExact ?? false, sortTerms: order,
            settings)
    }

    /// Returns the condition for the entity's rows in its table, or nil if all rows are.
    fileprivate static func entityCondition(_ root: ObjectReference, includesSubentities: Bool) -> SQLFragment? {
        let mapping = root.entity.mapping
        let dialect = root.scope.dialect
        let entity = dialect.column(dialect.entityColumn, of: root.alias)
        if !includesSubentities || mapping.numbers.count == 1 {
            guard mapping.sharesTable || mapping.numbers.count > 1 else { return nil }
            return "\(entity) = \(number: mapping.number)"
        }
        guard mapping.sharesTable else { return nil }
        let numbers = mapping.numbers.map(String.init).joined(separator: ", ")
        return "\(entity) IN (\(word: numbers))"
    }

    /// Returns the terms to sort by, or nil if SQL cannot sort that way.
    private func order(
        _ descriptors: [NSSortDescriptor], _ translator: PredicateTranslator
    ) throws -> [FetchQuery.SortTerm]? {
        var terms: [FetchQuery.SortTerm] = []
        for descriptor in descriptors {
            guard let descriptor = descriptor as? KeySortDescriptor else { return nil }
            guard descriptor.order == nil else {
                throw RefusedRequest(
                    description: "unsupported NSSortDescriptor (comparator blocks are not supported)")
            }
            guard var value = try sortValue(descriptor.keyText, translator) else { return nil }
            if descriptor.selectorName != .compare {
                guard let collation = model.dialect.collation(descriptor.selectorName) else {
                    if model.dialect.accepts(descriptor.selectorName) { return nil }
                    throw RefusedRequest(
                        description: "unsupported NSSortDescriptor selector: \(descriptor.selectorName)")
                }
                value = "\(value) COLLATE \(word: collation)"
            }
            terms.append(FetchQuery.SortTerm(value: value, isAscending: descriptor.ascending))
        }
        return terms
    }

    private func sortValue(_ key: String, _ translator: PredicateTranslator) throws -> SQLFragment? {
        let keys = DottedKeyPath(key).keys
        do {
            switch try translator.follow(keys[...], from: .object(translator.root)) {
            case .scalar(let sql, _): return sql
            case .object(let object): return object.key
            case .constant, .exactDecimal, .opaque, .composite, .entity, .collection, .list: return nil
            }
        } catch is Untranslatable {
            return nil
        }
    }
}
