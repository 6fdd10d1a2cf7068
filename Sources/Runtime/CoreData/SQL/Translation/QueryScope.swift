internal import Foundation

/// An entity for fetches: its slots, and where they are stored.
package struct FetchEntity {
    package let layout: EntityLayout
    package let mapping: EntityMapping
}

/// The entities of a store, for fetches. Immutable.
package final class FetchModel {
    /// The database's SQL.
    package let dialect: any SQLDialect
    private let entities: [String: FetchEntity]
    private let mappings: [String: EntityMapping]
    private let mappingsByNumber: [Int: EntityMapping]
    /// The key of an object of the store; `nil` for objects that were not saved, or are in another store.
    let key: (NSManagedObjectID) -> Int64?

    package init(
        mappings: [EntityMapping], layouts: [EntityLayout], dialect: any SQLDialect,
        key: @escaping (NSManagedObjectID) -> Int64?
    ) {
        self.dialect = dialect
        self.key = key
        self.mappings = Dictionary(mappings.map { ($0.name, $0) }) { first, _ in first }
        mappingsByNumber = Dictionary(mappings.map { ($0.number, $0) }) { first, _ in first }
        var entities: [String: FetchEntity] = [:]
        for layout in layouts {
            guard let mapping = self.mappings[layout.name] else { continue }
            entities[layout.name] = FetchEntity(layout: layout, mapping: mapping)
        }
        self.entities = entities
    }

    /// Returns the same entities in another SQL.
    func with(_ dialect: any SQLDialect) -> FetchModel {
        FetchModel(
            mappings: Array(mappings.values), layouts: entities.values.map(\.layout), dialect: dialect, key: key)
    }

    package func entity(named name: String) -> FetchEntity? { entities[name] }

    func entity(number: Int) -> FetchEntity? { mappingsByNumber[number].flatMap { entities[$0.name] } }

    /// Returns the mapping of an entity, or `nil` if the store does not contain it.
    func mapping(named name: String) -> EntityMapping? { mappings[name] }

    /// Returns the mapping of the entity with a number, or `nil` if it is unknown.
    func mapping(number: Int) -> EntityMapping? { mappingsByNumber[number] }
}

/// The tables that a SELECT reads: the first, and the destinations of to-one relationships. Each path is joined once,
/// regardless of which parts of the query use it: predicate, order or columns.
package final class QueryScope {
    /// The alias of the first table of a statement.
    static let rootAlias = "t0"

    /// The first table.
    let table: String
    let alias: String
    private let counter: AliasCounter
    private var joins: [Join] = []

    /// Numbers the tables of a whole statement.
    package final class AliasCounter {
        let dialect: any SQLDialect
        private var next = 0

        package init(_ dialect: any SQLDialect) {
            self.dialect = dialect
        }

        func alias() throws(Untranslatable) -> String {
            guard next < dialect.limits.tables else { throw Untranslatable() }
            defer { next += 1 }
            return "t\(next)"
        }
    }

    private struct Join {
        var table: String
        var alias: String
        var origin: String
        var column: String
    }

    package init(_ table: String, _ counter: AliasCounter) throws(Untranslatable) {
        self.table = table
        self.counter = counter
        alias = try counter.alias()
    }

    var dialect: any SQLDialect { counter.dialect }

    /// Returns the scope of a nested SELECT.
    func inner(_ table: String) throws(Untranslatable) -> QueryScope { try QueryScope(table, counter) }

    /// Returns the alias of the row whose key a column contains, joining it if needed.
    func join(_ table: String, on column: String, of origin: String) throws(Untranslatable) -> String {
        if let join = joins.first(where: { $0.origin == origin && $0.column == column && $0.table == table }) {
            return join.alias
        }
        guard joins.count < dialect.limits.joins else { throw Untranslatable() }
        let alias = try counter.alias()
        joins.append(Join(table: table, alias: alias, origin: origin, column: column))
        return alias
    }

    /// Whether tables other than the first are needed.
    package var hasJoins: Bool { !joins.isEmpty }

    /// The content of a FROM clause with only the first table.
    var firstTable: SQLFragment { "\(word: dialect.table(named: table)) \(word: alias)" }

    /// The content of the FROM clause.
    var tables: SQLFragment {
        joins.reduce(firstTable) { result, join in
            let key = dialect.column(join.column, of: join.origin)
            return
                "\(result) LEFT OUTER JOIN \(word: dialect.table(named: join.table)) \(word: join.alias) ON \(key) = \(dialect.column(dialect.keyColumn, of: join.alias))"
        }
    }
}

/// An object in a statement: a row, or a column that contains the key of one.
package struct ObjectReference {
    let scope: QueryScope
    package let alias: String
    /// The column of the key, or that of a relationship.
    let column: String
    let entity: FetchEntity

    /// Whether the alias is that of the object's own row.
    private var isRow: Bool { column == scope.dialect.keyColumn }
    /// Whether the object may be missing.
    let isOptional: Bool

    /// Creates a reference to a row.
    package init(row alias: String, _ entity: FetchEntity, in scope: QueryScope) {
        self.init(alias: alias, column: scope.dialect.keyColumn, entity, isOptional: false, in: scope)
    }

    init(alias: String, column: String, _ entity: FetchEntity, isOptional: Bool, in scope: QueryScope) {
        self.scope = scope
        self.alias = alias
        self.column = column
        self.entity = entity
        self.isOptional = isOptional
    }

    var key: SQLFragment { scope.dialect.column(column, of: alias) }

    /// Returns the alias of the object's row, joining it if needed.
    func row() throws(Untranslatable) -> String {
        isRow ? alias : try scope.join(entity.mapping.table, on: column, of: alias)
    }

    func entityNumber() throws(Untranslatable) -> SQLFragment {
        scope.dialect.column(scope.dialect.entityColumn, of: try row())
    }
}

/// The error for a part that SQL cannot express with the evaluator's result. It is left to the evaluator.
package struct Untranslatable: Error {}

/// The error for a request that Apple's SQLite store rejects with an exception.
package struct UnsupportedRequest: Error, CustomStringConvertible {
    /// Apple's reason.
    package var description: String
}
