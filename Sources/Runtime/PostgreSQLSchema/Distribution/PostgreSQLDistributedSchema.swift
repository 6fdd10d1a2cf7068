internal import CoreData

/// The tables of a store with a column for the tenant, which leads the primary keys, the unique constraints and the
/// foreign keys of distributed tables: each node checks constraints by itself.
struct PostgreSQLDistributedSchema {
    private(set) var schema: PostgreSQLSchema
    /// The column with the tenant's key.
    let column: String
    /// The distributed tables, the tenant's first.
    let distributed: [String]
    /// The constraints that do not mean the same as in a store.
    let notes: [PostgreSQLDistributionFinding]
    /// The columns of the relationships that lead to the tenant, by table.
    private let linkColumns: [String: String]

    /// - Parameters:
    ///   - source: The schema of a store, without partitions.
    ///   - distribution: The distribution of its tables.
    ///   - partitions: The number of hash partitions of each distributed table; 0 for plain tables.
    init(_ source: PostgreSQLSchema, _ distribution: PostgreSQLDistribution, partitions: Int) {
        let roots = [distribution.tenant] + distribution.tables.subtracting([distribution.tenant]).sorted()
        let tables = roots.map { source.entities[$0].table }
        let joins = source.joinTables.filter { $0.foreignKeys.contains { tables.contains($0.table) } }
        var names = PostgreSQLNames(reserved: (source.tables + source.joinTables).flatMap(\.columnNames))
        column = names.add("_tenant")
        distributed = tables + joins.map(\.name)
        linkColumns = Dictionary(
            uniqueKeysWithValues: distribution.links.compactMap { table, link in
                let entity = distribution.graph.tree.entities[table]
                return entity.layout.index(of: link.relationship.name).flatMap(source.entities[table].column)
                    .map { (source.entities[table].table, $0) }
            })
        notes = Self.notes(source, distribution)
        schema = source
        var relations = PostgreSQLNames(reserved: PostgreSQLSchema.reservedTables + source.relationNames.sorted())
        for index in schema.tables.indices {
            distribute(&schema.tables[index], partitions: partitions, names: &relations)
        }
        for index in schema.joinTables.indices {
            distribute(&schema.joinTables[index], partitions: partitions, names: &relations)
        }
    }

    private func distribute(_ table: inout PostgreSQLTable, partitions: Int, names: inout PostgreSQLNames) {
        guard distributed.contains(table.name) else { return }
        for index in table.columns.indices where table.columns[index].name == linkColumns[table.name] {
            table.columns[index].isRequired = true
        }
        table.columns.insert(.init(name: column, type: .bigint, isRequired: true), at: 0)
        table.key.insert(column, at: 0)
        // With the tenant's key, which is that of the row, they would hold for any values.
        if table.name == distributed[0] { table.uniques = [] }
        for index in table.uniques.indices { table.uniques[index].columns.insert(column, at: 0) }
        for index in table.foreignKeys.indices where distributed.contains(table.foreignKeys[index].table) {
            table.foreignKeys[index].sharedColumn = column
            // The action would also set the tenant to null.
            if table.foreignKeys[index].onDelete == .setNull { table.foreignKeys[index].onDelete = nil }
        }
        table.partitionNames = (0..<partitions).map { names.add("\(table.name)_p\($0)") }
    }

    private static func notes(
        _ schema: PostgreSQLSchema, _ distribution: PostgreSQLDistribution
    ) -> [PostgreSQLDistributionFinding] {
        var seen: Set<[String]> = []
        let tenant = distribution.graph.name(distribution.tenant)
        return zip(distribution.graph.tree.entities, schema.entities).flatMap { entity, mapping in
            entity.description.uniquenessConstraints.compactMap { constraint -> PostgreSQLDistributionFinding? in
                let names = UniqueProperties.names(in: constraint)
                let columns = names.compactMap { entity.layout.index(of: $0).flatMap(mapping.column) }
                guard distribution.tables.contains(entity.root), !columns.isEmpty, columns.count == names.count,
                    seen.insert([mapping.table] + columns).inserted
                else { return nil }
                let name = "“\(mapping.name).\(names.joined(separator: ", "))”"
                if entity.root == distribution.tenant {
                    return .init(
                        kind: .warning, entity: mapping.name, property: names[0],
                        problem: "the database does not keep \(name) unique: a node knows only its own tenants",
                        help: "Check it in the program that adds tenants.")
                }
                let link = distribution.links[entity.root]
                if link?.destination == distribution.tenant, names.contains(link?.relationship.name ?? "") {
                    return nil
                }
                return .init(
                    kind: .note, entity: mapping.name, property: names[0],
                    problem: "\(name) is unique within each “\(tenant)” only")
            }
        }
    }
}
