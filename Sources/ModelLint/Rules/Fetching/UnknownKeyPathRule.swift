internal import Diagnostics
internal import ModelSchema
internal import PredicateSyntax

/// Reports predicates that refer to an unknown property.
struct UnknownKeyPathRule: LintRule {
    let description = RuleDescription(
        id: .unknownKeyPath, code: "MC7003", group: "fetching",
        title: "a predicate refers to a property that does not exist",
        explanation: """
            The rule checks the key paths in the predicates of fetch requests, fetched properties and partial indexes. \
            Apple's compiler does not check them: the app starts, and the fetch raises an exception when it is executed. \
            Most invalid key paths result from renaming a property.
            """,
        remedy: "Correct the key path.", defaultSeverity: .warning)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for place in PredicatePlace.all(in: context.model) {
            guard let entityName = place.entityName, let entity = context.entitiesByName[entityName],
                let predicate = try? PredicateParser.parsePredicate(place.text)
            else { continue }
            let source = place.sourceEntityName.flatMap { context.entitiesByName[$0] }
            for problem in KeyPathCheck(context: context, root: entity, source: source).problems(in: predicate) {
                report(
                    RuleFinding(
                        "the predicate of \(place.name) refers to \(problem)", at: place.origin,
                        attribute: place.attribute,
                        why: "The fetch raises an exception when it is executed.", help: "Correct the key path."))
            }
        }
    }
}

/// Reports derivations that refer to an unknown property.
struct UnknownDerivationKeyPathRule: LintRule {
    let description = RuleDescription(
        id: .unknownDerivationKeyPath, code: "MC7005", group: "fetching",
        title: "a derivation refers to a property that does not exist",
        explanation: """
            Core Data resolves the key paths of derived attributes when it creates the tables and triggers of a store: an \
            invalid one raises an exception when the store is loaded, so the app cannot work.
            """,
        remedy: "Correct the key path.", defaultSeverity: .error)

    func check(_ context: LintContext, _ report: (RuleFinding) -> Void) {
        for entity in context.entities {
            for attribute in entity.attributes where attribute.isDerived {
                guard let text = attribute.derivationExpression, !text.isEmpty,
                    let expression = try? PredicateParser.parseExpression(text)
                else { continue }
                for problem in KeyPathCheck(context: context, root: entity, source: nil).problems(in: expression) {
                    report(
                        RuleFinding(
                            "the derivation of “\(entity.name).\(attribute.name)” refers to \(problem)",
                            at: attribute.origin, attribute: "derivationExpression", inspectorField: "Derivation",
                            why: "Core Data fails to load the store.", help: "Correct the key path."))
                }
            }
        }
    }
}

/// Follows key paths through a model.
struct KeyPathCheck {
    let context: LintContext
    /// The entity of the evaluated object.
    let root: Entity
    /// The entity of `$FETCH_SOURCE`, if there is one.
    let source: Entity?

    /// Returns the problems with the key paths of a predicate, each once.
    func problems(in predicate: PredicateSyntax.Predicate) -> [String] {
        var subqueries: [String: Entity] = [:]
        predicate.visitExpressions { note($0, &subqueries) }
        return unique(predicate.keyPaths.compactMap { problem(of: $0, subqueries) })
    }

    /// Returns the problems with the key paths of an expression, each once.
    func problems(in expression: PredicateSyntax.Expression) -> [String] {
        var subqueries: [String: Entity] = [:]
        expression.visitExpressions { note($0, &subqueries) }
        return unique(expression.keyPaths.compactMap { problem(of: $0, subqueries) })
    }

    private func unique(_ texts: [String]) -> [String] {
        var seen: Set<String> = []
        return texts.filter { seen.insert($0).inserted }
    }

    /// Records the entity of a subquery's variable.
    private func note(_ expression: PredicateSyntax.Expression, _ subqueries: inout [String: Entity]) {
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
                let property = context.property(key, of: current) ?? context.descendantProperty(key, of: current)
            else {
                return .missing(key: key, entity: current.name)
            }
            switch property {
            case .attribute: return .value
            case .relationship(let relationship):
                guard let name = relationship.destinationName, let next = context.entitiesByName[name] else {
                    return .value
                }
                current = next
            case .fetched(let fetched):
                guard let name = fetched.fetchRequest?.entityName, let next = context.entitiesByName[name] else {
                    return .value
                }
                current = next
            }
            if position == keys.count - 1 { return .entity(current) }
        }
        return .entity(current)
    }
}
