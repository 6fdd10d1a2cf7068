internal import ModelSource

extension XMLNode {
    /// Returns the XML attribute that identifies elements of a kind among their siblings.
    static func identifyingAttribute(of kind: String) -> String? {
        switch kind {
        case "entry": "key"
        case "constraint", "index": "value"
        case "fetchIndexElement": "property"
        case "userInfo", "uniquenessConstraints", "uniquenessConstraint", "compoundIndexes", "compoundIndex",
            "elements":
            nil
        default: "name"
        }
    }

    /// The name of the element in references.
    var identity: String? { Self.identifyingAttribute(of: name).flatMap { self[$0] } }

    /// Returns the index of a child in `items`.
    func itemIndex(of step: ElementReference.Step) -> Int? {
        var left = step.index
        for (index, item) in items.enumerated() {
            guard case .element(let node) = item, node.name == step.kind, node.identity == step.name else { continue }
            if left == 0 { return index }
            left -= 1
        }
        return nil
    }

    /// Returns the element at the end of a path.
    func element(at steps: some Collection<ElementReference.Step>) -> XMLNode? {
        guard let step = steps.first else { return self }
        guard let index = itemIndex(of: step), case .element(let node) = items[index] else { return nil }
        return node.element(at: steps.dropFirst())
    }

    /// Changes the element at the end of a path in place.
    ///
    /// - Throws: `EditRejection` if there is no such element, or any error of `body`.
    mutating func update<Result>(
        at steps: ArraySlice<ElementReference.Step>, _ body: (inout XMLNode) throws(EditRejection) -> Result
    ) throws(EditRejection) -> Result {
        guard let step = steps.first else { return try body(&self) }
        guard let index = itemIndex(of: step), case .element(var node) = items[index] else {
            throw .missing(step)
        }
        // The placeholder makes the child uniquely referenced, so that it changes in place.
        items[index] = .text("")
        defer { items[index] = .element(node) }
        return try node.update(at: steps.dropFirst(), body)
    }

    /// Changes every child of a kind.
    mutating func updateChildren(_ kind: String, _ body: (inout XMLNode) -> Void) {
        for index in items.indices {
            guard case .element(var node) = items[index], node.name == kind else { continue }
            body(&node)
            items[index] = .element(node)
        }
    }

    func children(_ kind: String) -> [XMLNode] { children.filter { $0.name == kind } }

    /// Returns the first child of a kind.
    func child(_ kind: String) -> XMLNode? {
        for case .element(let node) in items where node.name == kind { return node }
        return nil
    }

    /// Sets an XML attribute where Xcode writes it, or removes it with `nil`.
    mutating func setValue(_ value: String?, for attribute: String, isOld: Bool = false) {
        if let index = attributes.firstIndex(where: { $0.name == attribute }) {
            if let value {
                guard !attributes[index].value.utf8.elementsEqual(value.utf8) else { return }
                attributes[index].value = value
                attributes[index].hasPlainGreaterThan = attributes[index].hasPlainGreaterThan && value.contains(">")
            } else {
                attributes.remove(at: index)
            }
            return
        }
        guard let value else { return }
        let ranks = CanonicalOrder.attributeRanks(of: name, isOld: isOld)
        let rank = ranks[attribute] ?? .max
        let previous = attributes.lastIndex { (ranks[$0.name] ?? -1) < rank }
        attributes.insert(Attribute(name: attribute, value: value), at: previous.map { $0 + 1 } ?? 0)
    }
}

extension EditRejection {
    /// Returns the rejection for an element that does not exist.
    static func missing(_ step: ElementReference.Step) -> EditRejection {
        let name = step.name.map { " “\($0)”" } ?? ""
        return EditRejection(
            "there is no \(InspectorVocabulary.kindName(step.kind))\(name)", help: "Select the element again.")
    }
}
