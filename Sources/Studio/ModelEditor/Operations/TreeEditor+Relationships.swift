internal import ModelSource

extension TreeEditor {
    /// Sets the destination or inverse of a relationship, and the inverse's own inverse.
    mutating func setRelationship(
        _ attribute: String, to value: String?, of steps: [ElementReference.Step]
    ) throws(EditRejection) {
        guard steps.count == 2, let entity = steps[0].name, let node = root.element(at: steps), let name = node["name"]
        else { throw missing(steps) }
        let value = value?.isEmpty == true ? nil : value
        if node[attribute] == value { return }
        endInverses(of: name, entity: entity)
        if attribute == "destinationEntity" {
            if let value, root.itemIndex(of: .init("entity", value)) == nil { throw .missing(.init("entity", value)) }
            try root.update(at: steps[...]) { node throws(EditRejection) in
                node.setValue(value, for: "destinationEntity")
                node.setValue(nil, for: "inverseName")
                node.setValue(nil, for: "inverseEntity")
            }
            return
        }
        guard let value else {
            return try root.update(at: steps[...]) { node throws(EditRejection) in
                node.setValue(nil, for: "inverseName")
                node.setValue(nil, for: "inverseEntity")
            }
        }
        guard let destination = node["destinationEntity"] else {
            throw EditRejection("the relationship has no destination", help: "Choose its destination first.")
        }
        let index = PropertyIndex(root)
        guard let owner = index.declaringEntity(of: value, in: destination),
            root.element(at: [.init("entity", owner), .init("relationship", value)]) != nil
        else { throw .missing(.init("relationship", value)) }
        endInverses(of: value, entity: owner)
        try root.update(at: steps[...]) { node throws(EditRejection) in
            node.setValue(value, for: "inverseName")
            node.setValue(destination, for: "inverseEntity")
        }
        try root.update(at: [.init("entity", owner), .init("relationship", value)]) { other throws(EditRejection) in
            if other["destinationEntity"] == nil { other.setValue(entity, for: "destinationEntity") }
            other.setValue(name, for: "inverseName")
            other.setValue(other["destinationEntity"] ?? entity, for: "inverseEntity")
        }
    }

    /// Removes a relationship from the relationships whose inverse it is.
    mutating func endInverses(of name: String, entity: String) {
        let index = PropertyIndex(root)
        root.updateChildren("entity") { other in
            other.updateChildren("relationship") { relationship in
                guard relationship["inverseName"] == name,
                    let position = relationship["destinationEntity"] ?? relationship["inverseEntity"],
                    index.declaringEntity(of: name, in: position) == entity
                else { return }
                relationship.setValue(nil, for: "inverseName")
                relationship.setValue(nil, for: "inverseEntity")
            }
        }
    }
}
