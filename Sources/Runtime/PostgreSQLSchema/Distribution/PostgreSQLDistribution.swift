internal import CoreData

/// How the rows of a model are spread over the nodes of a distributed server such as Citus: all rows of a tenant are on
/// one node.
///
/// The destination of the first named relationship is the tenant. Tables from whose rows a chain of to-one
/// relationships leads to it are distributed by the tenant's key. All others are reference tables, which every node
/// holds whole. A hierarchy of entities is one table, identified by the index of its root.
struct PostgreSQLDistribution {
    let graph: PostgreSQLTenantGraph
    /// The tenant's table.
    let tenant: Int
    /// The distributed tables, including the tenant's.
    let tables: Set<Int>
    /// The relationship of each distributed table that leads to the tenant; none for the tenant's table.
    let links: [Int: PostgreSQLTenantGraph.Link]

    /// Determines the distribution of a model.
    ///
    /// - Parameters:
    ///   - entities: The store's entities; entities that they inherit from are added.
    ///   - names: To-one relationships as `Entity.relationship`. The first leads to the tenant, the others choose one
    ///     of several relationships of an entity.
    /// - Throws: `Refusal` with everything that keeps the model from being distributed.
    init(
        of entities: [NSEntityDescription], along names: [String]
    ) throws(PostgreSQLDistributionFinding.Refusal) {
        let graph = PostgreSQLTenantGraph(EntityTree(entities))
        let named = try graph.links(named: names)
        guard let first = named.first else { throw .init(findings: []) }
        guard first.source != first.destination else {
            throw .init(findings: [graph.misleading(first, first.destination)])
        }
        self.graph = graph
        tenant = first.destination
        tables = graph.tables(leadingTo: tenant)
        let choice = graph.choice(of: tables, to: tenant, named: named)
        let findings = choice.findings + graph.obstacles(to: tables, tenant: tenant)
        guard findings.isEmpty else { throw .init(findings: findings) }
        links = choice.links
    }
}
