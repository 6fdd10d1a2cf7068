internal import CoreData

/// The to-one relationships between the tables of a model, and which of them lead to the tenant.
struct PostgreSQLTenantGraph {
    /// A to-one relationship of entities in one table to those in another, by the indexes of the root entities.
    struct Link {
        var source: Int
        /// The index of the entity that declares the relationship.
        var entity: Int
        var relationship: NSRelationshipDescription
        var destination: Int
    }

    let tree: EntityTree
    private(set) var links: [Link] = []

    init(_ tree: EntityTree) {
        self.tree = tree
        for entity in tree.entities.indices {
            for relationship in tree.declared(entity, NSRelationshipDescription.self) where !relationship.isToMany {
                guard let destination = tree.index(ofDestination: relationship) else { continue }
                links.append(
                    Link(
                        source: tree.entities[entity].root, entity: entity, relationship: relationship,
                        destination: tree.entities[destination].root))
            }
        }
    }

    /// Returns the name of the entity with an index, which for a table is that of its root.
    func name(_ entity: Int) -> String { tree.entities[entity].layout.name }

    func name(of link: Link) -> String { "\(name(link.entity)).\(link.relationship.name)" }

    func list(_ links: [Link]) -> String { links.map { "“\(name(of: $0))”" }.joined(separator: ", ") }

    // MARK: Chains

    /// Returns the relationships with the given names.
    ///
    /// - Throws: `Refusal` if one is not a to-one relationship of the store.
    func links(named names: [String]) throws(PostgreSQLDistributionFinding.Refusal) -> [Link] {
        var found: [Link] = []
        var findings: [PostgreSQLDistributionFinding] = []
        for name in names {
            let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let layout = tree.entities.first { $0.layout.name == parts[0] }?.layout
            let property = layout.flatMap { layout in
                layout.index(of: parts.count == 2 ? parts[1] : "").map { layout.slots[$0].property }
            }
            if let link = links.first(where: { $0.relationship === property }) {
                found.append(link)
            } else {
                findings.append(
                    .init(
                        kind: .refusal, entity: layout?.name, property: property?.name,
                        problem: "“\(name)” is not a to-one relationship of the store",
                        help: "Specify a relationship that leads to the tenant as ENTITY.RELATIONSHIP."))
            }
        }
        guard findings.isEmpty else { throw .init(findings: findings) }
        return found
    }

    /// Returns the tables from which to-one relationships lead to a table, and that table.
    func tables(leadingTo table: Int) -> Set<Int> { reached(table, avoiding: nil) }

    /// Returns the tables from which to-one relationships of tables other than the avoided one lead to a table.
    private func reached(_ table: Int, avoiding avoided: Int?) -> Set<Int> {
        var result: Set = [table]
        var isComplete = false
        while !isComplete {
            let others = links.filter { $0.source != avoided && result.contains($0.destination) }
            isComplete = result.isSuperset(of: others.map(\.source))
            result.formUnion(others.map(\.source))
        }
        return result
    }

    /// Chooses the relationship of each distributed table that leads to the tenant: the named one, or the only one that
    /// is required.
    func choice(
        of tables: Set<Int>, to tenant: Int, named: [Link]
    ) -> (links: [Int: Link], findings: [PostgreSQLDistributionFinding]) {
        var result: [Int: Link] = [:]
        var findings: [PostgreSQLDistributionFinding] = []
        let others = Dictionary(grouping: named, by: \.source)
        for link in named where !tables.contains(link.source) || link.source == tenant {
            findings.append(misleading(link, tenant))
        }
        for table in tables.sorted() where table != tenant {
            do throws(PostgreSQLDistributionFinding) {
                result[table] = try chosen(table, tenant, named: others[table] ?? [])
            } catch {
                findings.append(error)
            }
        }
        guard findings.isEmpty else { return ([:], findings) }
        return (result, cycles(in: result, to: tenant))
    }

    private func chosen(
        _ table: Int, _ tenant: Int, named: [Link]
    ) throws(PostgreSQLDistributionFinding) -> Link {
        let goals = reached(tenant, avoiding: table)
        let all = links.filter { $0.source == table && goals.contains($0.destination) }
        let shared = all.filter { $0.entity == table }
        for link in named {
            guard all.contains(where: { $0.relationship === link.relationship }) else {
                throw misleading(link, tenant)
            }
        }
        guard named.count < 2 else {
            throw finding(
                named[1], "rows of “\(name(table))” are distributed by one relationship, not by each of \(list(named))",
                help: "Specify one of them.")
        }
        if let link = named.first {
            guard link.entity == table else { throw partial([link], tenant) }
            guard !link.relationship.isOptional else { throw optional([link], tenant) }
            return link
        }
        let required = shared.filter { !$0.relationship.isOptional }
        if required.count == 1 { return required[0] }
        if required.count > 1 {
            throw finding(
                required[0],
                "“\(name(table))” has several relationships that lead to “\(name(tenant))”: \(list(required))",
                help: "Choose one, for example with --distribute \(name(of: required[0])).")
        }
        throw shared.isEmpty ? partial(all, tenant) : optional(shared, tenant)
    }

    /// Returns findings about tables whose relationships lead to each other instead of to the tenant.
    private func cycles(in links: [Int: Link], to tenant: Int) -> [PostgreSQLDistributionFinding] {
        links.sorted { $0.key < $1.key }.compactMap { table, link in
            var (next, rest) = (link, links.count)
            while next.destination != tenant, rest > 0, let other = links[next.destination] {
                next = other
                rest -= 1
            }
            return next.destination == tenant ? nil : misleading(link, tenant)
        }
    }
}
