internal import ModelSource

/// Updates references to renamed elements.
enum ElementRenaming {
    /// Updates references to a property, before the property itself is renamed.
    static func updateReferences(toProperty old: String, of entity: String, newName: String, in root: inout XMLNode) {
        let index = PropertyIndex(root)
        let predicates = PredicateRenaming(index: index, entity: entity, oldName: old, newName: newName)
        func isIt(_ name: String?, in other: String) -> Bool {
            name == old && index.declaringEntity(of: old, in: other) == entity
        }
        root.updateChildren("entity") { node in
            guard let owner = node["name"] else { return }
            node.updateChildren("relationship") { relationship in
                guard relationship["inverseName"] == old,
                    let position = relationship["destinationEntity"] ?? relationship["inverseEntity"],
                    isIt(old, in: position)
                else { return }
                relationship.setValue(newName, for: "inverseName")
            }
            node.updateChildren("attribute") { attribute in
                if let text = attribute["derivationExpression"],
                    let changed = predicates.expression(text, root: owner)
                {
                    attribute.setValue(changed, for: "derivationExpression")
                }
            }
            node.updateChildren("fetchedProperty") { property in
                property.updateChildren("fetchRequest") { update(&$0, predicates, source: owner) }
            }
            node.updateChildren("fetchIndex") { fetchIndex in
                update(&fetchIndex, attribute: "partialIndexPredicate") { predicates.predicate($0, root: owner) }
                fetchIndex.updateChildren("fetchIndexElement") { element in
                    if isIt(element["property"], in: owner) { element.setValue(newName, for: "property") }
                    update(&element, attribute: "expression") { predicates.expression($0, root: owner) }
                }
            }
            for (list, group, member) in Self.groups {
                node.updateChildren(list) { list in
                    list.updateChildren(group) { group in
                        group.updateChildren(member) { member in
                            if isIt(member["value"], in: owner) { member.setValue(newName, for: "value") }
                        }
                    }
                }
            }
        }
        root.updateChildren("fetchRequest") { update(&$0, predicates, source: nil) }
    }

    /// The lists of groups of property names in an entity, such as constraints.
    static let groups = [
        ("uniquenessConstraints", "uniquenessConstraint", "constraint"), ("compoundIndexes", "compoundIndex", "index"),
    ]

    private static func update(_ request: inout XMLNode, _ predicates: PredicateRenaming, source: String?) {
        guard let entity = request["entity"] else { return }
        update(&request, attribute: "predicateString") { predicates.predicate($0, root: entity, source: source) }
    }

    private static func update(_ node: inout XMLNode, attribute: String, change: (String) -> String?) {
        if let text = node[attribute], let changed = change(text) { node.setValue(changed, for: attribute) }
    }

    /// Updates references to an entity, but not the entity itself.
    static func updateReferences(toEntity old: String, newName: String, in root: inout XMLNode) {
        func replace(_ attributes: [String], in node: inout XMLNode) {
            for attribute in attributes where node[attribute] == old { node.setValue(newName, for: attribute) }
        }
        root.updateChildren("entity") { entity in
            replace(["parentEntity"], in: &entity)
            entity.updateChildren("relationship") { replace(["destinationEntity", "inverseEntity"], in: &$0) }
            entity.updateChildren("fetchedProperty") { property in
                property.updateChildren("fetchRequest") { replace(["entity"], in: &$0) }
            }
        }
        root.updateChildren("fetchRequest") { replace(["entity"], in: &$0) }
        root.updateChildren("configuration") { configuration in
            configuration.updateChildren("memberEntity") { replace(["name"], in: &$0) }
        }
        root.updateChildren("elements") { canvas in
            canvas.updateChildren("element") { replace(["name"], in: &$0) }
        }
    }

    /// Updates references to a composite type.
    static func updateReferences(toComposite old: String, newName: String, in root: inout XMLNode) {
        for kind in ["entity", "composite"] {
            root.updateChildren(kind) { owner in
                owner.updateChildren("attribute") { attribute in
                    if attribute["composite"] == old { attribute.setValue(newName, for: "composite") }
                }
            }
        }
    }
}
