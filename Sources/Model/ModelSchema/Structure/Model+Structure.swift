extension Model {
    /// Returns the errors in the names, types, parents and destinations of entities and properties, in document order.
    func structuralFindings() -> [ModelFinding] {
        var problems: [ModelFinding] = []
        var entitiesByName: [String: Entity] = [:]
        for entity in entities {
            if entity.name.isEmpty {
                problems.append(StructuralProblem.unnamedEntity.finding(at: entity.origin))
            } else if entitiesByName[entity.name] == nil {
                entitiesByName[entity.name] = entity
            } else {
                problems.append(
                    StructuralProblem.duplicateEntity(name: entity.name).finding(at: entity.origin, attribute: "name"))
            }
        }
        var guess = EntityNameGuess(entities.map(\.name))
        problems += inheritanceProblems(entitiesByName, &guess)
        problems += descentProblems(entitiesByName)
        for entity in entities {
            problems += entity.propertyProblems()
            for relationship in entity.relationships {
                if let problem = relationship.destinationProblem(in: entity, entitiesByName, &guess) {
                    problems.append(problem)
                }
            }
        }
        return problems.sorted { ($0.origin?.index ?? 0) < ($1.origin?.index ?? 0) }
    }

    private func inheritanceProblems(
        _ entitiesByName: [String: Entity], _ guess: inout EntityNameGuess
    ) -> [ModelFinding] {
        var problems: [ModelFinding] = []
        /// Entities whose chain of parents is known to end, or whose cycle was reported.
        var settled: Set<String> = []
        for entity in entities {
            if let parent = entity.parentName, entitiesByName[parent] == nil {
                problems.append(
                    StructuralProblem.unknownParent(
                        entity: entity.name, parent: parent, suggestion: guess.closest(to: parent)
                    ).finding(
                        at: entity.origin, attribute: "parentEntity"))
            }
            var chain: [String] = []
            var positions: [String: Int] = [:]
            var current: Entity? = entity
            while let next = current, !settled.contains(next.name) {
                if let start = positions[next.name] {
                    let circle = Array(chain[start...])
                    let members = Set(circle)
                    let first = entities.first { members.contains($0.name) }
                    problems.append(
                        StructuralProblem.inheritanceCycle(entities: circle).finding(
                            at: first?.origin, attribute: "parentEntity"))
                    break
                }
                positions[next.name] = chain.count
                chain.append(next.name)
                current = next.parentName.flatMap { entitiesByName[$0] }
            }
            settled.formUnion(chain)
        }
        return problems
    }

    /// Returns the errors about properties that an ancestor also has, and about entities with too many ancestors. Walks
    /// down from the entities without a parent with one dictionary of inherited properties, so that the cost of a chain
    /// is linear in its length. Cycles have no root and are left out.
    private func descentProblems(_ entitiesByName: [String: Entity]) -> [ModelFinding] {
        guard entities.contains(where: { $0.parentName != nil }) else { return [] }
        var children: [String: [Entity]] = [:]
        for entity in entities {
            if let parent = entity.parentName { children[parent, default: []].append(entity) }
        }
        enum Step {
            case enter(Entity, depth: Int)
            case leave(added: [String])
        }
        var problems: [ModelFinding] = []
        var inherited: [String: String] = [:]
        var steps = entities.filter { $0.parentName.map { entitiesByName[$0] == nil } ?? true }.map {
            Step.enter($0, depth: 0)
        }
        var entered: Set<String> = []
        while let step = steps.popLast() {
            switch step {
            case .leave(let added):
                for name in added { inherited[name] = nil }
            case .enter(let entity, let depth):
                guard entered.insert(entity.name).inserted else { continue }
                // Only the first entity that is too deep in each branch is reported.
                if depth == Self.maximumInheritanceDepth + 1 {
                    problems.append(
                        StructuralProblem.tooManyAncestors(entity: entity.name).finding(
                            at: entity.origin, attribute: "parentEntity"))
                }
                var added: [String] = []
                for (property, origin) in entity.propertyNames where !property.isEmpty {
                    guard let ancestor = inherited[property], ancestor != entity.name else {
                        if inherited.updateValue(entity.name, forKey: property) == nil { added.append(property) }
                        continue
                    }
                    problems.append(
                        StructuralProblem.shadowedProperty(entity: entity.name, name: property, ancestor: ancestor)
                            .finding(at: origin, attribute: "name"))
                }
                steps.append(.leave(added: added))
                steps += (children[entity.name] ?? []).map { .enter($0, depth: depth + 1) }
            }
        }
        return problems
    }
}

extension Entity {
    /// The names of the entity's own properties with their locations: attributes, then relationships, then fetched
    /// properties.
    package var propertyNames: [(name: String, origin: ElementOrigin?)] {
        attributes.map { ($0.name, $0.origin) } + relationships.map { ($0.name, $0.origin) }
            + fetchedProperties.map { ($0.name, $0.origin) }
    }

    fileprivate func propertyProblems() -> [ModelFinding] {
        var problems: [ModelFinding] = []
        var seen: Set<String> = []
        for (property, origin) in propertyNames {
            if property.isEmpty {
                problems.append(StructuralProblem.unnamedProperty(entity: name).finding(at: origin))
            } else if !seen.insert(property).inserted {
                problems.append(
                    StructuralProblem.duplicateProperty(entity: name, name: property).finding(
                        at: origin, attribute: "name"))
            }
        }
        return problems + attributes.flatMap { $0.typeFindings(in: name) }
    }
}

extension Attribute {
    /// Returns the error about a type that no Xcode writes.
    func typeFindings(in owner: String) -> [ModelFinding] {
        guard let type = unknownType else { return [] }
        return [
            StructuralProblem.unknownAttributeType(entity: owner, attribute: name, type: type).finding(
                at: origin, attribute: "attributeType")
        ]
    }
}

extension Relationship {
    fileprivate func destinationProblem(
        in entity: Entity, _ entitiesByName: [String: Entity], _ guess: inout EntityNameGuess
    ) -> ModelFinding? {
        guard let destinationName, !destinationName.isEmpty else {
            return StructuralProblem.missingDestination(entity: entity.name, relationship: name).finding(at: origin)
        }
        guard entitiesByName[destinationName] == nil else { return nil }
        return StructuralProblem.unknownDestination(
            entity: entity.name, relationship: name, destination: destinationName,
            suggestion: guess.closest(to: destinationName)
        ).finding(at: origin, attribute: "destinationEntity")
    }
}
