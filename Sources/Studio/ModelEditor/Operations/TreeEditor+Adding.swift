internal import ModelSource

extension TreeEditor {
    /// Returns the container of a kind of element inside its entity or property.
    private static func container(of kind: String) -> String? {
        switch kind {
        case "entry": "userInfo"
        case "uniquenessConstraint": "uniquenessConstraints"
        case "compoundIndex": "compoundIndexes"
        default: nil
        }
    }

    /// Returns whether an element of a kind is allowed in another.
    private static func isAllowed(_ kind: String, in parent: String) -> Bool {
        switch (kind, parent) {
        case ("entry", "entity"), ("entry", "attribute"), ("entry", "relationship"), ("entry", "fetchedProperty"),
            ("uniquenessConstraint", "entity"), ("compoundIndex", "entity"), ("memberEntity", "configuration"),
            ("fetchIndexElement", "fetchIndex"), ("constraint", "uniquenessConstraint"), ("index", "compoundIndex"):
            true
        case ("userInfo", _), ("elements", _), ("compoundIndexes", _), ("uniquenessConstraints", _): false
        default: CanonicalOrder.childRanks(of: parent)[kind] != nil
        }
    }

    /// Adds an element, with Xcode's defaults for values that are not given.
    mutating func add(
        _ kind: String, to parent: [ElementReference.Step], values: [String: String], members: [String]
    ) throws(EditRejection) {
        guard let owner = root.element(at: parent) else { throw missing(parent) }
        guard Self.isAllowed(kind, in: owner.name) else {
            throw EditRejection(
                "a \(InspectorVocabulary.kindName(kind)) cannot stand in a \(InspectorVocabulary.kindName(owner.name))")
        }
        for value in values.values { try Self.checkCharacters(value) }
        var node = newElement(kind, in: owner, values: values)
        for (attribute, value) in values.sorted(by: { $0.key < $1.key }) {
            node.setValue(value, for: attribute)
        }
        let memberKind = ["uniquenessConstraint": "constraint", "compoundIndex": "index"][kind]
        for member in members {
            if let memberKind {
                node.items.append(.element(XMLNode(name: memberKind, attributes: [("value", member)])))
            } else if kind == "fetchIndex" {
                node.items.append(.element(Self.indexElement(member)))
            }
        }
        if let identity = node.identity, kind != "memberEntity" { try Self.checkName(identity, of: kind) }
        try insert([node], into: parent)
    }

    private static func indexElement(_ property: String) -> XMLNode {
        XMLNode(
            name: "fetchIndexElement",
            attributes: [("property", property), ("type", "Binary"), ("order", "ascending")])
    }

    /// Returns an element as Xcode creates it.
    private func newElement(_ kind: String, in owner: XMLNode, values: [String: String]) -> XMLNode {
        func name(_ suggestion: String) -> String {
            values["name"].map { $0.isEmpty ? suggestion : $0 }.map {
                owner.freeName($0, kinds: Self.namespace(of: kind))
            }
                ?? owner.freeName(suggestion, kinds: Self.namespace(of: kind))
        }
        var node = XMLNode(name: kind)
        switch kind {
        case "entity":
            let name = name("Entity")
            node = XMLNode(
                name: kind,
                attributes: [
                    ("name", name), ("representedClassName", name), ("syncable", "YES"),
                    ("codeGenerationType", "class"),
                ])
        case "attribute":
            node = XMLNode(
                name: kind,
                attributes: [("name", name("attribute")), ("optional", "YES"), ("attributeType", "String")])
            if let type = values["attributeType"] { Self.setTypeDefaults(type, &node) }
        case "relationship":
            node = XMLNode(
                name: kind,
                attributes: [
                    ("name", name("relationship")), ("optional", "YES"), ("maxCount", "1"), ("deletionRule", "Nullify"),
                ])
        case "fetchedProperty":
            var request: [(name: String, value: String)] = [("name", "fetchedPropertyFetchRequest")]
            if let entity = owner["name"] { request.append(("entity", entity)) }
            node = XMLNode(
                name: kind, attributes: [("name", name("fetchedProperty")), ("optional", "YES")],
                children: [XMLNode(name: "fetchRequest", attributes: request)])
        case "fetchRequest":
            node = XMLNode(name: kind, attributes: [("name", name("FetchRequest"))])
            if let entity = root.child("entity")?["name"] { node.setValue(entity, for: "entity") }
        case "fetchIndexElement": return Self.indexElement(values["property"] ?? "")
        case "entry":
            let keys = Set((owner.child("userInfo")?.children ?? []).compactMap { $0["key"] })
            var key = values["key"] ?? "key"
            for number in 1...(keys.count + 1) where keys.contains(key) { key = "\(values["key"] ?? "key")\(number)" }
            node = XMLNode(name: kind, attributes: [("key", key), ("value", "value")])
        case "memberEntity", "constraint", "index", "uniquenessConstraint", "compoundIndex": break
        default: node = XMLNode(name: kind, attributes: [("name", name(kind == "fetchIndex" ? "byIndex" : kind))])
        }
        if needsSyncable(kind) { node.setValue("YES", for: "syncable") }
        return node
    }

    /// Returns whether the file is from a version of Xcode that also wrote `syncable` for properties.
    private func needsSyncable(_ kind: String) -> Bool {
        guard ["attribute", "relationship", "fetchedProperty"].contains(kind) else { return false }
        for entity in root.children("entity") {
            if let other = entity.children.first(where: { ["attribute", "relationship"].contains($0.name) }) {
                return other["syncable"] == "YES"
            }
        }
        return false
    }

    /// Inserts elements, in the containers they need, and selects them.
    private mutating func insert(_ nodes: [XMLNode], into parent: [ElementReference.Step]) throws(EditRejection) {
        selection = []
        for node in nodes {
            var steps = parent
            if let container = Self.container(of: node.name) {
                try root.update(at: parent[...]) { owner throws(EditRejection) in
                    if owner.child(container) == nil { owner.insertChild(XMLNode(name: container)) }
                }
                steps.append(.init(container))
            }
            let number = root.element(at: steps)?.children.count {
                $0.name == node.name && $0.identity == node.identity
            }
            try root.update(at: steps[...]) { owner throws(EditRejection) in owner.insertChild(node) }
            selection.append(steps + [.init(node.name, node.identity, index: number ?? 0)])
        }
    }

    // MARK: Copies

    mutating func duplicate(_ steps: [ElementReference.Step]) throws(EditRejection) {
        guard let node = root.element(at: steps), !steps.isEmpty else { throw missing(steps) }
        let before = selection
        try insertCopies([node], into: Array(steps.dropLast()))
        selection = before + selection
    }

    /// Inserts elements from the clipboard.
    mutating func paste(_ text: String, into parent: [ElementReference.Step]) throws(EditRejection) {
        guard let nodes = XMLFragment.nodes(in: text) else {
            throw EditRejection("the clipboard holds no elements of a model", help: "Copy some in a model first.")
        }
        guard let owner = root.element(at: parent) else { throw missing(parent) }
        for node in nodes where !Self.isAllowed(node.name, in: owner.name) {
            throw EditRejection(
                "a \(InspectorVocabulary.kindName(node.name)) cannot stand in a "
                    + InspectorVocabulary.kindName(owner.name),
                help: "Select an element that can contain it.")
        }
        try insertCopies(nodes, into: parent)
    }

    /// Inserts copies under unused names. A relationship loses its inverse unless the inverse is copied too.
    private mutating func insertCopies(
        _ nodes: [XMLNode], into parent: [ElementReference.Step]
    ) throws(EditRejection) {
        guard var owner = root.element(at: parent) else { throw missing(parent) }
        var copies: [XMLNode] = []
        for node in nodes {
            var copy = node
            let old = copy.identity
            if let attribute = XMLNode.identifyingAttribute(of: node.name), let old,
                !["constraint", "index", "fetchIndexElement", "entry"].contains(node.name)
            {
                let name = owner.freeName(old, kinds: Self.namespace(of: node.name))
                copy.setValue(name, for: attribute)
                if node.name == "entity", copy["representedClassName"] == old {
                    copy.setValue(name, for: "representedClassName")
                }
            }
            owner.items.append(.element(copy))
            copies.append(copy)
        }
        for index in copies.indices {
            if copies[index].name == "relationship" { Self.removeInverse(&copies[index]) }
            if copies[index].name == "entity" { copies[index].updateChildren("relationship", Self.removeInverse) }
        }
        try insert(copies, into: parent)
    }

    private static func removeInverse(_ relationship: inout XMLNode) {
        relationship.setValue(nil, for: "inverseName")
        relationship.setValue(nil, for: "inverseEntity")
    }

    // MARK: Order

    /// Moves an element among its siblings of the same kind.
    mutating func move(_ steps: [ElementReference.Step], to position: Int) throws(EditRejection) {
        guard let last = steps.last, root.element(at: steps) != nil else { throw missing(steps) }
        selection = [steps]
        try root.update(at: steps.dropLast()) { parent throws(EditRejection) in
            if CanonicalOrder.sortedKinds(in: parent.name).contains(last.kind) {
                throw EditRejection("Xcode sorts \(InspectorVocabulary.kindName(last.kind)) elements by name")
            }
            let positions = parent.items.indices.filter {
                if case .element(let node) = parent.items[$0] { node.name == last.kind } else { false }
            }
            guard let from = parent.itemIndex(of: last), positions.indices.contains(position) else { return }
            let target = positions[position]
            let item = parent.items.remove(at: from)
            parent.items.insert(item, at: target)
        }
    }
}
