internal import ModelSource

extension TreeEditor {
    /// Deletes an element, and other elements that cannot exist without it.
    mutating func delete(_ steps: [ElementReference.Step]) throws(EditRejection) {
        guard let last = steps.last, let node = root.element(at: steps) else { throw missing(steps) }
        if let owner = steps.first?.name, steps.count == 2, let name = node["name"] {
            switch node.name {
            case "relationship": endInverses(of: name, entity: owner)
            default: break
            }
            if ["attribute", "relationship"].contains(node.name) { removeMentions(of: name, entity: owner) }
        }
        if steps.count == 1, node.name == "entity", let name = node["name"] { removeMentions(ofEntity: name) }
        try root.update(at: steps.dropLast()) { parent throws(EditRejection) in
            if let index = parent.itemIndex(of: last) { parent.items.remove(at: index) }
        }
        removeEmptyContainers(steps.dropLast())
    }

    /// Removes containers that became empty.
    private mutating func removeEmptyContainers(_ steps: ArraySlice<ElementReference.Step>) {
        let containers: Set = [
            "userInfo", "uniquenessConstraints", "uniquenessConstraint", "compoundIndexes", "compoundIndex",
        ]
        guard let last = steps.last, containers.contains(last.kind), root.element(at: steps)?.items.isEmpty == true
        else { return }
        _ = try? root.update(at: steps.dropLast()) { parent throws(EditRejection) in
            if let index = parent.itemIndex(of: last) { parent.items.remove(at: index) }
        }
        removeEmptyContainers(steps.dropLast())
    }

    /// Removes a property from the indexes and constraints of its entity and the subentities.
    private mutating func removeMentions(of name: String, entity: String) {
        let index = PropertyIndex(root)
        root.updateChildren("entity") { node in
            guard let owner = node["name"], index.declaringEntity(of: name, in: owner) == entity,
                index.isSame(owner, orInheritsFrom: entity)
            else { return }
            node.removeChildren("fetchIndex") { fetchIndex in
                let count = fetchIndex.items.count
                fetchIndex.removeChildren("fetchIndexElement") { $0["property"] == name }
                return fetchIndex.items.count < count && fetchIndex.items.isEmpty
            }
            for (list, group, member) in ElementRenaming.groups {
                node.removeChildren(list) { list in
                    list.removeChildren(group) { group in
                        let count = group.items.count
                        group.removeChildren(member) { $0["value"] == name }
                        return group.items.count < count && group.items.isEmpty
                    }
                    return list.items.isEmpty
                }
            }
        }
    }

    /// Removes an entity from configurations and the canvas, and as a destination, a parent and what a request fetches.
    private mutating func removeMentions(ofEntity name: String) {
        let index = PropertyIndex(root)
        func isGone(_ relationship: XMLNode) -> Bool {
            guard let inverse = relationship["inverseName"],
                let position = relationship["destinationEntity"] ?? relationship["inverseEntity"]
            else { return false }
            return index.declaringEntity(of: inverse, in: position) == name
        }
        func clear(_ request: inout XMLNode) {
            if request["entity"] == name { request.setValue(nil, for: "entity") }
        }
        root.updateChildren("entity") { entity in
            if entity["parentEntity"] == name { entity.setValue(nil, for: "parentEntity") }
            entity.updateChildren("relationship") { relationship in
                let isDestination = relationship["destinationEntity"] == name
                guard isDestination || isGone(relationship) else { return }
                for attribute in (isDestination ? ["destinationEntity"] : []) + ["inverseName", "inverseEntity"] {
                    relationship.setValue(nil, for: attribute)
                }
            }
            entity.updateChildren("fetchedProperty") { $0.updateChildren("fetchRequest", clear) }
        }
        root.updateChildren("fetchRequest", clear)
        root.updateChildren("configuration") { $0.removeChildren("memberEntity") { $0["name"] == name } }
        root.updateChildren("elements") { $0.removeChildren("element") { $0["name"] == name } }
    }
}

extension XMLNode {
    /// Removes children of a kind for which a function, which may change them, returns `true`.
    mutating func removeChildren(_ kind: String, where isRemoved: (inout XMLNode) -> Bool) {
        var index = 0
        while index < items.count {
            guard case .element(var node) = items[index], node.name == kind else {
                index += 1
                continue
            }
            if isRemoved(&node) {
                items.remove(at: index)
            } else {
                items[index] = .element(node)
                index += 1
            }
        }
    }
}
