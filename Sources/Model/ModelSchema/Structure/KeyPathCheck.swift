package import PredicateSyntax

/// Follows key paths through a model.
package struct KeyPathCheck {
    private let lookup: PropertyLookup
    /// The entity of the evaluated object.
    private let root: Entity
    /// The entity of `$FETCH_SOURCE`, if there is one.
    private let source: Entity?

    /// Creates a check of expressions that are evaluated with objects of an entity.
    ///
    /// - Parameter source: The entity of `$FETCH_SOURCE`, if there is one.
    package init(_ lookup: PropertyLookup, root: Entity, source: Entity?) {
        self.lookup = lookup
        self.root = root
        self.source = source
    }

    /// Returns the problems with the key paths of a predicate, each once.
    package func problems(in predicate: PredicateSyntax.Predicate) -> [String] {
        var subqueries: [String: Entity] = [:]
        predicate.visitExpressions { record($0, &subqueries) }
        return unique(predicate.keyPaths.compactMap { problem(of: $0, subqueries) })
    }

    /// Returns the problems with the key paths of an expression, each once.
    package func problems(in expression: PredicateSyntax.Expression) -> [String] {
        var subqueries: [String: Entity] = [:]
        expression.visitExpressions { record($0, &subqueries) }
        return unique(expression.keyPaths.compactMap { problem(of: $0, subqueries) })
    }

    private func unique(_ texts: [String]) -> [String] {
        var seen: Set<String> = []
        return texts.filter { seen.insert($0).inserted }
    }

    /// Records the entity of a subquery's variable.
    private func record(_ expression: PredicateSyntax.Expression, _ subqueries: inout [String: Entity]) {
        guard case .subquery(let subquery) = expression, case .keyPath(let path) = subquery.collection,
            path.startsAtEvaluatedObject, case .entity(let entity) = follow(path.keyPath.keys, from: root)
        else { return }
        subqueries[subquery.variable] = entity
    }

    private func problem(of path: KeyPathExpression, _ subqueries: [String: Entity]) -> String? {
        let start: Entity
        if path.startsAtEvaluatedObject {
            start = root
        } else if case .variable(let name)? = path.operand {
            if name == "FETCH_SOURCE" {
                guard let source else { return nil }
                start = source
            } else if let entity = subqueries[name] {
                start = entity
            } else {
                return nil
            }
        } else {
            return nil
        }
        guard case .missing(let key, let entity) = follow(path.keyPath.keys, from: start) else { return nil }
        let whole = path.keyPath.keys.count > 1 ? " (in “\(path.keyPath.string)”)" : ""
        return "“\(key)”, which “\(entity)” does not have\(whole)"
    }

    private enum Destination {
        /// Objects of an entity.
        case entity(Entity)
        /// A value whose keys the model does not describe.
        case value
        /// A key that an entity does not have.
        case missing(key: String, entity: String)
    }

    private func follow(_ keys: [String], from start: Entity) -> Destination {
        var current = start
        for (position, key) in keys.enumerated() {
            if key.hasPrefix("@") { continue }
            // Keys that every managed object has.
            if ["self", "SELF", "objectID", "entity"].contains(key) {
                if key == "self" || key == "SELF" { continue }
                return .value
            }
            guard
                // SQLite stores also find properties of subentities, which share a table.
                let property = lookup.property(key, of: current) ?? lookup.descendantProperty(key, of: current)
            else {
                return .missing(key: key, entity: current.name)
            }
            switch property {
            case .attribute: return .value
            case .relationship(let relationship):
                guard let name = relationship.destinationName, let next = lookup.entitiesByName[name] else {
                    return .value
                }
                current = next
            case .fetched(let fetched):
                guard let name = fetched.fetchRequest?.entityName, let next = lookup.entitiesByName[name] else {
                    return .value
                }
                current = next
            }
            if position == keys.count - 1 { return .entity(current) }
        }
        return .entity(current)
    }
}
