internal import Foundation
internal import PredicateSyntax

/// A request for dictionaries that SQL expresses completely.
package struct DictionaryQuery {
    /// The way in which the value of a column is read.
    package enum Reading {
        case value(SQLType)
        /// A decimal number as text.
        case exactDecimal
        /// The key of an object, and the number of its entity in the next column.
        case object
    }

    package let statement: SQLFragment
    package let columns: [(column: FetchColumn, reading: Reading)]

    fileprivate init(_ statement: SQLFragment, _ columns: [(column: FetchColumn, reading: Reading)]) {
        self.statement = statement
        self.columns = columns
    }

    /// Creates the statement for a request that `DictionaryPlan` has validated, or returns `nil` if SQL cannot express
    /// all of it.
    package init?(settings: FetchSettings, entity: FetchEntity, model: FetchModel) throws {
        do {
            let fetch = FetchTranslator(model: model)
            let translator = try fetch.translator(entity)
            let rows = try fetch.query(settings, translator)
            guard rows.isComplete else { return nil }
            var dictionaries = DictionaryTranslator(
                settings: settings, entity: entity, translator: translator, query: rows)
            self = try dictionaries.query()
        } catch is Untranslatable {
            return nil
        }
    }
}

/// Translates requests for dictionaries to SQL.
private struct DictionaryTranslator {
    private let settings: FetchSettings
    private let entity: FetchEntity
    private let translator: PredicateTranslator
    private let rows: FetchQuery
    private var names: [String] = []
    private var operands: [Operand] = []

    init(
        settings: FetchSettings, entity: FetchEntity, translator: PredicateTranslator, query: FetchQuery
    ) {
        self.settings = settings
        self.entity = entity
        self.translator = translator
        rows = query
        translator.groups = PredicateTranslator.GroupContext()
    }

    mutating func query() throws -> DictionaryQuery {
        let properties = settings.propertiesToFetch ?? entity.layout.rowSlots.map { entity.layout.slots[$0].name }
        let groupNames = (settings.propertiesToGroupBy ?? []).compactMap(FetchColumn.name)
        let columns = properties.map { FetchColumn($0, entity.layout, method: "setPropertiesToFetch:") }
        names = columns.map(\.name)
        operands = try zip(properties, names).map { property, name in
            // What rows are grouped by is a value of each row.
            translator.groups?.isGrouped = !groupNames.isEmpty && !groupNames.contains(name)
            return try operand(property)
        }
        let context = translator.groups ?? PredicateTranslator.GroupContext()
        let isAggregate = context.isAggregate
        translator.groups?.isGrouped = false
        let groups = try (settings.propertiesToGroupBy ?? []).map { property in
            try text(of: operand(property))
        }
        var selected: [SQLFragment] = []
        var readings: [(column: FetchColumn, reading: DictionaryQuery.Reading)] = []
        for (column, operand) in zip(columns, operands) {
            selected.append(try text(of: operand))
            switch operand {
            case .object(let object):
                selected.append(try entityNumber(of: object))
                readings.append((column, .object))
            case .exactDecimal: readings.append((column, .exactDecimal))
            default: readings.append((column, .value(try translator.scalar(operand).type)))
            }
        }
        // SQLite would take such a value from an arbitrary row.
        if isAggregate, groups.isEmpty, !context.reads.isEmpty { throw Untranslatable() }
        if isAggregate || !groups.isEmpty, context.readsMembers { throw Untranslatable() }
        let having = try settings.havingPredicate.map { try self.having($0, groups) }
        var statement: SQLFragment =
            "SELECT \(word: settings.returnsDistinctResults ? "DISTINCT " : "")\(selected, ", ") FROM \(rows.tables)\(rows.filter)"
        if !groups.isEmpty { statement = "\(statement) GROUP BY \(groups, ", ")" }
        if let having { statement = "\(statement) HAVING \(having)" }
        if !isAggregate || !groups.isEmpty {
            // Equal rows, and rows in the same group, have no defined order.
            let isMerged = settings.returnsDistinctResults || !groups.isEmpty
            if isMerged {
                let selectable = Set(groups + selected)
                guard rows.sortTerms.allSatisfy({ selectable.contains($0.value) }) else { throw Untranslatable() }
            }
            var terms = [rows.order].compactMap(\.self)
            if rows.needsTotalOrder {
                let merged = settings.returnsDistinctResults ? selected : groups
                terms +=
                    isMerged ? merged : [translator.dialect.column(translator.dialect.keyColumn, of: rows.root.alias)]
            }
            if !terms.isEmpty { statement = "\(statement) ORDER BY \(terms, ", ")" }
        }
        return DictionaryQuery(rows.applyingRange(to: statement), readings)
    }

    private func operand(_ property: Any) throws -> Operand {
        switch property {
        case let description as NSExpressionDescription:
            guard let tree = description.expression?.tree else { throw Untranslatable() }
            return try translator.operand(tree.syntax, BoxTable(tree.boxes))
        case let description as NSPropertyDescription: return try path(description.name)
        case let name as String: return try path(name)
        default: throw Untranslatable()
        }
    }

    private func path(_ text: String) throws -> Operand {
        try translator.operand(.keyPath(KeyPathExpression(DottedKeyPath(text))), BoxTable(OpaqueBoxes()))
    }

    private func text(of operand: Operand) throws -> SQLFragment {
        switch operand {
        case .object(let object): return object.key
        case .exactDecimal(let sql): return sql
        default: return try translator.scalar(operand).sql
        }
    }

    private func entityNumber(of object: ObjectReference) throws -> SQLFragment {
        let mapping = object.entity.mapping
        return mapping.numbers.count > 1 ? try object.entityNumber() : "\(number: mapping.number)"
    }

    /// Returns the condition of groups, which may refer to columns as variables.
    private func having(_ predicate: NSPredicate, _ groups: [SQLFragment]) throws -> SQLFragment {
        translator.groups?.reads = []
        translator.groups?.isGrouped = true
        for (name, operand) in zip(names, operands) { translator.groups?.columns[name] = operand }
        guard let condition = try translator.condition(predicate), condition.isExact else { throw Untranslatable() }
        let grouped = Set(groups)
        guard let context = translator.groups, context.reads.allSatisfy({ grouped.contains($0) }), !context.readsMembers
        else { throw Untranslatable() }
        return condition.sql(translator.dialect)
    }
}
