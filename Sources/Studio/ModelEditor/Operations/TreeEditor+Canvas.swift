internal import ModelSource

extension TreeEditor {
    /// Stores the boxes of entities where Xcode does: in `<elements>`, one `<element>` for each entity, in the
    /// entities' order.
    ///
    /// An entity that has an `<element>` keeps its width and height there. Positions that equal the stored ones after
    /// rounding are not changed.
    mutating func arrange(_ boxes: [CanvasBox]) throws(EditRejection) {
        selection = []
        let order = root.children("entity").map { $0["name"] ?? "" }
        for box in boxes {
            guard order.contains(box.name) else { throw .missing(.init("entity", box.name)) }
            guard box.isPlausible else {
                throw EditRejection(
                    "the position of “\(box.name)” is out of bounds", help: "Move the box closer to the others.")
            }
        }
        guard !boxes.isEmpty else { return }
        if root.child("elements") == nil { root.insertChild(XMLNode(name: "elements")) }
        try root.update(at: [.init("elements")]) { canvas throws(EditRejection) in
            for box in boxes { canvas.position(box, order: order) }
        }
    }

    /// Adds a relationship between two entities and its inverse, under unused names, as when dragging from box to box.
    mutating func connect(
        _ source: [ElementReference.Step], to target: [ElementReference.Step]
    ) throws(EditRejection) {
        guard root.element(at: source)?.name == "entity", let sourceName = source.last?.name else {
            throw missing(source)
        }
        guard root.element(at: target)?.name == "entity", let targetName = target.last?.name else {
            throw missing(target)
        }
        let forward = freePropertyName(after: targetName, in: sourceName)
        try add("relationship", to: source, values: ["name": forward, "destinationEntity": targetName], members: [])
        let selected = selection
        let inverse = freePropertyName(after: sourceName, in: targetName)
        try add("relationship", to: target, values: ["name": inverse, "destinationEntity": sourceName], members: [])
        try perform(
            .set(
                element: ElementReference(version: "", source + [.init("relationship", forward)]),
                attribute: "inverseName", value: inverse))
        selection = selected
    }

    /// Sets the inverse of a relationship: the only relationship to the entity that has no inverse, or a new one.
    mutating func addInverse(of steps: [ElementReference.Step]) throws(EditRejection) {
        guard steps.count == 2, let entity = steps[0].name, let node = root.element(at: steps),
            node.name == "relationship"
        else { throw missing(steps) }
        guard let destination = node["destinationEntity"],
            let target = root.element(at: [.init("entity", destination)])
        else { throw EditRejection("the relationship has no destination", help: "Choose its destination first.") }
        let candidates = target.items.compactMap { item -> String? in
            guard case .element(let other) = item, other.name == "relationship", other["destinationEntity"] == entity,
                other["inverseName"] == nil, destination != entity || other["name"] != node["name"]
            else { return nil }
            return other["name"]
        }
        var inverse = freePropertyName(after: entity, in: destination)
        if let only = candidates.first, candidates.count == 1 {
            inverse = only
        } else {
            try add(
                "relationship", to: [.init("entity", destination)],
                values: ["name": inverse, "destinationEntity": entity], members: [])
        }
        try setRelationship("inverseName", to: inverse, of: steps)
        selection = [steps]
    }

    /// Returns an unused property name, derived from an entity's name, for another entity.
    private func freePropertyName(after entity: String, in owner: String) -> String {
        let index = PropertyIndex(root)
        let name = entity.prefix(1).lowercased() + entity.dropFirst()
        var candidate = name
        var number = 1
        while index.declaringEntity(of: candidate, in: owner) != nil {
            number += 1
            candidate = "\(name)\(number)"
        }
        return candidate
    }
}

extension XMLNode {
    /// Stores the box of an entity in `<elements>`.
    fileprivate mutating func position(_ box: CanvasBox, order: [String]) {
        if let index = itemIndex(of: .init("element", box.name)), case .element(var node) = items[index] {
            node.setCoordinate(box.x, for: "positionX")
            node.setCoordinate(box.y, for: "positionY")
            items[index] = .element(node)
            return
        }
        let node = XMLNode(
            name: "element",
            attributes: [
                ("name", box.name), ("positionX", String(box.x)), ("positionY", String(box.y)),
                ("width", String(box.width)), ("height", String(box.height)),
            ])
        let preceding = Set(order.prefix { $0 != box.name })
        let previous = items.lastIndex {
            if case .element(let other) = $0 { preceding.contains(other["name"] ?? "") } else { false }
        }
        items.insert(.element(node), at: previous.map { $0 + 1 } ?? 0)
    }

    /// Sets a coordinate unless the stored one equals it after rounding.
    private mutating func setCoordinate(_ value: Int, for attribute: String) {
        if let old = self[attribute].flatMap(Double.init), old.rounded() == Double(value) { return }
        setValue(String(value), for: attribute)
    }
}
