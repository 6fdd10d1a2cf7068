internal import CoreData

/// What keeps a model from being distributed.
extension PostgreSQLTenantGraph {
    func finding(_ link: Link, _ problem: String, help: String) -> PostgreSQLDistributionFinding {
        .init(
            kind: .refusal, entity: name(link.entity), property: link.relationship.name, problem: problem, help: help)
    }

    /// Returns the finding about a named relationship that does not lead to the tenant.
    func misleading(_ link: Link, _ tenant: Int) -> PostgreSQLDistributionFinding {
        finding(
            link, "“\(name(of: link))” does not lead from another entity to the tenant, “\(name(tenant))”",
            help: "Name a relationship that leads to the tenant first, and then only those that lead to it.")
    }

    /// Returns the finding about a table whose relationships to the tenant may be null.
    func optional(_ links: [Link], _ tenant: Int) -> PostgreSQLDistributionFinding {
        finding(
            links[0],
            "\(list(links)) \(links.count == 1 ? "is" : "are") optional, and a row without a “\(name(tenant))” is on "
                + "no node",
            help: "Make the relationship required, or remove it: a table that every node holds cannot refer to "
                + "“\(name(links[0].destination))”.")
    }

    /// Returns the finding about a table of which only some rows have a relationship to the tenant.
    func partial(_ links: [Link], _ tenant: Int) -> PostgreSQLDistributionFinding {
        finding(
            links[0],
            "only rows of “\(name(links[0].entity))” lead to “\(name(tenant))”, by \(list(links)), and those of "
                + "“\(name(links[0].source))” are in the same table",
            help: "Declare a required relationship that leads to “\(name(tenant))” in “\(name(links[0].source))”.")
    }

    /// Returns the finding about a to-one relationship between tenants.
    func crossing(_ link: Link) -> PostgreSQLDistributionFinding {
        crossing(link.relationship, of: link.entity)
    }

    private func crossing(
        _ relationship: NSRelationshipDescription, of entity: Int
    ) -> PostgreSQLDistributionFinding {
        .init(
            kind: .refusal, entity: name(entity), property: relationship.name,
            problem:
                "“\(name(entity)).\(relationship.name)” relates objects of different tenants, which are on "
                + "different nodes",
            help: "Keep the ID of the other object in an attribute instead.")
    }

    /// Returns the relationships that a distributed database cannot have: between tenants, and from tables that every
    /// node holds to distributed ones.
    func obstacles(to tables: Set<Int>, tenant: Int) -> [PostgreSQLDistributionFinding] {
        var findings = links.filter { $0.source == tenant && $0.destination == tenant }.map(crossing)
        var inverses: Set<ObjectIdentifier> = []
        for entity in tree.entities.indices {
            let source = tree.entities[entity].root
            for relationship in tree.declared(entity, NSRelationshipDescription.self) where relationship.isToMany {
                guard let index = tree.index(ofDestination: relationship),
                    !inverses.contains(ObjectIdentifier(relationship))
                else { continue }
                let ends = [source, tree.entities[index].root]
                if let inverse = relationship.inverseRelationship {
                    inverses.insert(ObjectIdentifier(inverse))
                    if inverse.isToMany, ends.contains(tenant), tables.isSuperset(of: ends) {
                        findings.append(crossing(relationship, of: entity))
                    }
                } else if ends == [tenant, tenant] {
                    findings.append(crossing(relationship, of: entity))
                } else if tables.contains(source), !tables.contains(ends[1]) {
                    findings.append(backward(relationship, of: entity, to: ends[1]))
                }
            }
        }
        return findings
    }

    /// Returns the finding about a to-many relationship without an inverse, whose column is in the rows of its members.
    private func backward(
        _ relationship: NSRelationshipDescription, of entity: Int, to destination: Int
    ) -> PostgreSQLDistributionFinding {
        .init(
            kind: .refusal, entity: name(entity), property: relationship.name,
            problem:
                "“\(name(entity)).\(relationship.name)” has no inverse, so it is a column of “\(name(destination))”, "
                + "and a table that every node holds cannot refer to a distributed one",
            help: "Give the relationship a to-many inverse: its pairs are then in a table that is distributed.")
    }
}
