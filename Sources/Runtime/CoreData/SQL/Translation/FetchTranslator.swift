internal import Foundation
internal import PredicateSyntax

/// Translates fetch requests to SQL.
package struct FetchTranslator {
    package let model: FetchModel

    package init(model: FetchModel) {
        self.model = model
    }

    /// Returns the statement for a request.
    ///
    /// - Parameters:
    ///   - settings: The request.
    ///   - entity: Its entity.
    /// - Throws: `UnsupportedRequest` for requests that Apple's SQLite store rejects.
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

    /// Returns the condition for the entity's rows in its table, or `nil` if all rows are.
    static func entityCondition(_ root: ObjectReference, includesSubentities: Bool) -> SQLFragment? {
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

    /// Returns the terms to sort by, or `nil` if SQL cannot sort that way.
    private func order(
        _ descriptors: [NSSortDescriptor], _ translator: PredicateTranslator
    ) throws -> [FetchQuery.SortTerm]? {
        var terms: [FetchQuery.SortTerm] = []
        for descriptor in descriptors {
            guard let descriptor = descriptor as? KeySortDescriptor else { return nil }
            guard descriptor.order == nil else {
                throw UnsupportedRequest(
                    description: "unsupported NSSortDescriptor (comparator blocks are not supported)")
            }
            guard var value = try sortValue(descriptor.keyText, translator) else { return nil }
            if descriptor.selectorName != .compare {
                guard let collation = model.dialect.collation(descriptor.selectorName) else {
                    if model.dialect.accepts(descriptor.selectorName) { return nil }
                    throw UnsupportedRequest(
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
