package import CoreData

/// The SQL that creates the tables of a model in a distributed database, such as Citus. Needs no server.
///
/// Stores neither read nor write these tables.
package struct PostgreSQLDistributedScript {
    private let tables: PostgreSQLDistributedSchema
    private let distribution: PostgreSQLDistribution
    private let partitions: Int

    private var schema: PostgreSQLSchema { tables.schema }

    /// The constraints that do not mean the same as in a store.
    package var notes: [PostgreSQLDistributionFinding] { tables.notes }

    /// - Parameters:
    ///   - model: The model.
    ///   - relationships: To-one relationships as `Entity.relationship`. The first leads to the tenant, the others
    ///     choose one of several relationships of an entity.
    ///   - configuration: The configuration whose entities the store contains; `nil` for all.
    ///   - namespace: The name of the schema; `nil` for the default schema.
    ///   - partitions: The number of hash partitions of each distributed table, with which a plain PostgreSQL server
    ///     has the rules of a distributed one; 0 for the tables of a distributed server.
    /// - Throws: `PostgreSQLDistributionFinding.Refusal`, or `SchemaStatements.Failure` as for a store.
    package init(
        _ model: NSManagedObjectModel, along relationships: [String], configuration: String? = nil,
        namespace: String? = nil, partitions: Int = 0
    ) throws {
        let entities = try SchemaStatements.entities(model, configuration)
        let schema: PostgreSQLSchema
        do {
            schema = try PostgreSQLSchemaBuilder.schema(
                of: entities, namespace: namespace ?? PostgreSQLSchemaBuilder.defaultNamespace(configuration))
        } catch let failure as PostgreSQLSchemaBuilder.Failure {
            throw SchemaStatements.Failure(description: failure.description)
        }
        distribution = try PostgreSQLDistribution(of: entities, along: relationships)
        tables = PostgreSQLDistributedSchema(schema, distribution, partitions: partitions)
        self.partitions = partitions
    }

    /// The text of the script.
    package var text: String { heading + PostgreSQLPlanScript.text(statements) { _ in nil } }

    private var heading: String {
        var lines = [
            "The tables of the schema \(schema.name), distributed by “\(distribution.graph.name(distribution.tenant))”, for "
                + "Citus or a similar server.",
            "Nothing in modelc reads or writes them: stores have other tables.",
        ]
        if partitions > 0 {
            lines.append("Hash partitions give a plain PostgreSQL server the same rules for keys and constraints.")
        }
        lines += notes.map { $0.problem.prefix(1).uppercased() + $0.problem.dropFirst() + "." }
        return lines.map { "-- \(PostgreSQLPlanScript.comment($0))\n" }.joined() + "\n"
    }

    /// The statements, each with its purpose. Tables are distributed before they refer to each other: a server refuses
    /// references from distributed tables to those that are not.
    private var statements: [(comment: String, statement: String)] {
        var result = [("", "CREATE SCHEMA IF NOT EXISTS \(PostgreSQLName.quoted(schema.name))")]
        for table in schema.tables + schema.joinTables {
            result += schema.statements(creating: table).map { (purpose(of: table), $0) }
        }
        result.append(("the numbers and names of the entities, on every node", schema.entityTable))
        result += schema.entityRows.map { ("", $0) }
        if partitions == 0 {
            result.append(("spreads the tables over the nodes, if the server is Citus", distributingBlock))
        }
        result.append(("a tenant's row is on the tenant's node", tenantCheck))
        for table in schema.tables + schema.joinTables {
            result += table.uniques.map { unique in
                ("", schema.statement(adding: unique, to: table.name))
            }
            result += table.foreignKeys.map { key in
                let isShared = key.sharedColumn != nil
                return (
                    isShared ? "both rows belong to the same tenant" : "refers to a table on every node",
                    schema.statement(adding: key, to: table.name)
                )
            }
        }
        return result + schema.indexes.map { ("", $0.statement(schema)) }
    }

    private func purpose(of table: PostgreSQLTable) -> String {
        guard tables.distributed.contains(table.name) else { return "“\(table.name)”: every node has all rows" }
        if table.name == tables.distributed[0] { return "“\(table.name)”: the tenants, each on one node" }
        let link = distribution.links.values.first { schema.entities[$0.source].table == table.name }
        let place = link.map { "“\(distribution.graph.name(of: $0))”" }
        return "“\(table.name)”: on the node of \(place ?? "the objects that it relates")"
    }

    private var tenantCheck: String {
        let table = tables.distributed[0]
        let name = PostgreSQLName.fitted("\(table)\(tables.column)_check")
        return "ALTER TABLE \(schema.qualified(table)) ADD CONSTRAINT \(PostgreSQLName.quoted(name)) CHECK "
            + "(\(PostgreSQLName.quoted(tables.column)) = \"_pk\")"
    }

    /// The calls of Citus's functions, in a block that other servers skip.
    private var distributingBlock: String {
        func literal(_ table: String) -> String { PostgreSQLName.literal(schema.qualified(table)) }
        let names = (schema.tables + schema.joinTables).map(\.name).filter { !tables.distributed.contains($0) }
        var calls = ["set_config('citus.multi_shard_modify_mode', 'sequential', true)"]
        calls += (["_entities"] + names).map { "create_reference_table(\(literal($0)))" }
        calls += tables.distributed.map { table in
            let other = table == tables.distributed[0] ? "'none'" : literal(tables.distributed[0])
            return "create_distributed_table(\(literal(table)), \(PostgreSQLName.literal(tables.column)), "
                + "colocate_with => \(other))"
        }
        let body =
            "BEGIN\nIF EXISTS (SELECT FROM pg_proc WHERE proname = 'create_distributed_table') THEN\n"
            + calls.map { "    PERFORM \($0);\n" }.joined() + "END IF;\nEND"
        return "DO \(PostgreSQLName.dollarQuoted(body))"
    }
}
