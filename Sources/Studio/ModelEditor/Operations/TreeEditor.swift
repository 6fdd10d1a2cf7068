internal import ModelSource

/// Performs operations on the elements of one version.
struct TreeEditor {
    /// The edited model.
    var root: XMLNode
    /// The elements that an operation created or renamed, which the page selects.
    var selection: [[ElementReference.Step]] = []
    /// The elements that were renamed, as their paths before and after.
    private(set) var identityChanges: [(from: [ElementReference.Step], to: [ElementReference.Step])] = []

    private var isOld: Bool {
        CanonicalOrder.wasSavedByXcode7OrEarlier(toolsVersion: root["lastSavedToolsVersion"])
    }

    /// Creates an editor of a model.
    init(root: XMLNode) {
        self.root = root
    }

    /// Performs an operation.
    ///
    /// - Throws: `EditRejection` if the operation cannot be performed. The editor is then in an undefined state.
    mutating func perform(_ operation: EditOperation) throws(EditRejection) {
        switch operation {
        case .set(let element, let attribute, let value): try set(attribute, to: value, of: element.steps)
        case .add(let parent, let kind, let values, let members):
            try add(kind, to: parent.steps, values: values, members: members)
        case .rename(let element, let name): try rename(element.steps, to: name)
        case .duplicate(let elements):
            selection = []
            for element in elements { try duplicate(element.steps) }
        case .delete(let elements):
            selection = []
            // From the last to the first, so that the indices of elements with the same name stay valid.
            for element in elements.sorted(by: Self.isBehind) { try delete(element.steps) }
        case .paste(let parent, let text): try paste(text, into: parent.steps)
        case .move(let element, let position): try move(element.steps, to: position)
        case .arrange(_, let boxes): try arrange(boxes)
        case .connect(let source, let target): try connect(source.steps, to: target.steps)
        case .addInverse(let element): try addInverse(of: element.steps)
        case .makeCurrent, .group: break
        }
    }

    private static func isBehind(_ first: ElementReference, _ second: ElementReference) -> Bool {
        for (one, other) in zip(first.steps, second.steps) where one != other { return one.index > other.index }
        return first.steps.count > second.steps.count
    }

    // MARK: Values

    private mutating func set(
        _ attribute: String, to value: String?, of steps: [ElementReference.Step]
    ) throws(EditRejection) {
        guard let node = root.element(at: steps) else { throw missing(steps) }
        guard Self.isXMLName(attribute) else { throw EditRejection("“\(attribute)” is not an XML attribute") }
        if let value { try Self.checkCharacters(value) }
        let identifies = attribute == XMLNode.identifyingAttribute(of: node.name) && !steps.isEmpty
        if identifies, node.name != "memberEntity", node.name != "fetchIndexElement" {
            return try rename(steps, to: value ?? "")
        }
        if identifies, node.name == "memberEntity" || node["expression"] == nil {
            try Self.checkName(value ?? "", of: node.name)
        }
        selection = [steps]
        switch (node.name, attribute) {
        case ("relationship", "inverseName"), ("relationship", "destinationEntity"):
            try setRelationship(attribute, to: value, of: steps)
        default:
            let isOld = isOld
            try root.update(at: steps[...]) { node throws(EditRejection) in
                let old = node
                node.setValue(value, for: attribute, isOld: isOld)
                Self.followUp(attribute, node: &node, old: old)
            }
            if let identity = XMLNode.identifyingAttribute(of: node.name), identity == attribute, let last = steps.last
            {
                recordIdentity(of: steps, as: ElementReference.Step(last.kind, value))
            }
        }
    }

    /// Applies the changes that Xcode makes along with a value.
    private static func followUp(_ attribute: String, node: inout XMLNode, old: XMLNode) {
        switch (node.name, attribute) {
        case ("relationship", "toMany"):
            if node["toMany"] == "YES" {
                if node["maxCount"] == "1" { node.setValue(nil, for: "maxCount") }
            } else {
                node.setValue(nil, for: "ordered")
                node.setValue(nil, for: "minCount")
                node.setValue("1", for: "maxCount")
            }
        case ("attribute", "attributeType"):
            TypeChange(from: old["attributeType"] ?? "Undefined").apply(to: &node)
        // An element has either a property or an expression.
        case ("fetchIndexElement", "property") where node["property"] != nil:
            node.setValue(nil, for: "expression")
            node.setValue(nil, for: "expressionType")
        case ("fetchIndexElement", "expression") where node["expression"] != nil:
            node.setValue(nil, for: "property")
        case ("attribute", "derived"):
            if node["derived"] != "YES" { node.setValue(nil, for: "derivationExpression") }
        default: break
        }
    }

    /// Sets the values that Xcode gives every attribute of a type (Documentation/Formats/ModelSource.md, 5).
    static func setTypeDefaults(_ type: String, _ node: inout XMLNode) {
        switch type {
        case "Integer 16", "Integer 32", "Integer 64":
            node.setValue("0", for: "defaultValueString")
            node.setValue("YES", for: "usesScalarValueType")
        case "Double", "Float":
            node.setValue("0.0", for: "defaultValueString")
            node.setValue("YES", for: "usesScalarValueType")
        case "Decimal": node.setValue("0.0", for: "defaultValueString")
        case "Boolean":
            if !["YES", "NO"].contains(node["defaultValueString"]) { node.setValue(nil, for: "defaultValueString") }
            node.setValue("YES", for: "usesScalarValueType")
        case "Date", "UUID":
            node.setValue(nil, for: "defaultValueString")
            node.setValue("NO", for: "usesScalarValueType")
        default: break
        }
    }

    // MARK: Names

    private mutating func rename(_ steps: [ElementReference.Step], to name: String) throws(EditRejection) {
        guard let last = steps.last, let node = root.element(at: steps),
            let parent = root.element(at: steps.dropLast())
        else { throw missing(steps) }
        guard let attribute = XMLNode.identifyingAttribute(of: node.name) else {
            throw EditRejection("a \(InspectorVocabulary.kindName(node.name)) has no name")
        }
        // Two Unicode normalizations of a text are equal strings.
        let isSame = node[attribute].map { $0.utf8.elementsEqual(name.utf8) } ?? false
        selection = [steps]
        guard !isSame else { return }
        try Self.checkName(name, of: node.name)
        let rivals = Self.namespace(of: node.name)
        let isNormalization = node[attribute] == name
        guard
            isNormalization
                || !parent.children.contains(where: { rivals.contains($0.name) && $0[attribute] == name })
        else {
            throw EditRejection(
                "“\(name)” already exists", help: "Choose another name, or rename the other one first.")
        }
        updateReferences(to: node, in: parent, newName: name)
        let names = parent.children(node.name).map { $0["name"] ?? "" }
        try root.update(at: steps.dropLast()) { parent throws(EditRejection) in
            guard let index = parent.itemIndex(of: last), case .element(var node) = parent.items[index] else { return }
            // A class that Xcode generates is named after its entity.
            if node.name == "entity", node["codeGenerationType"] == "class",
                node["representedClassName"] == node["name"]
            {
                node.setValue(name, for: "representedClassName")
            }
            node.setValue(name, for: attribute)
            parent.items[index] = .element(node)
            parent.restoreOrder(of: node.name, afterRenaming: index, namesBefore: names)
        }
        recordIdentity(of: steps, as: ElementReference.Step(last.kind, name))
    }

    private mutating func recordIdentity(of steps: [ElementReference.Step], as step: ElementReference.Step) {
        let renamed = Array(steps.dropLast()) + [step]
        identityChanges.append((from: steps, to: renamed))
        selection = [renamed]
    }

    private mutating func updateReferences(to node: XMLNode, in parent: XMLNode, newName: String) {
        guard let old = node["name"] else { return }
        // Two elements with the same name are ambiguous.
        guard parent.children.count(where: { $0.name == node.name && $0["name"] == old }) == 1 else { return }
        switch (parent.name, node.name) {
        case ("entity", "attribute"), ("entity", "relationship"), ("entity", "fetchedProperty"):
            guard let entity = parent["name"] else { return }
            ElementRenaming.updateReferences(toProperty: old, of: entity, newName: newName, in: &root)
        case ("composite", "attribute"):
            guard let composite = parent["name"] else { return }
            ElementRenaming.updateReferences(
                toProperty: old, of: PropertyIndex.compositeKey(composite), newName: newName, in: &root)
        case ("model", "entity"): ElementRenaming.updateReferences(toEntity: old, newName: newName, in: &root)
        case ("model", "composite"): ElementRenaming.updateReferences(toComposite: old, newName: newName, in: &root)
        default: break
        }
    }

    /// Returns the kinds of elements that share a namespace with a kind.
    static func namespace(of kind: String) -> Set<String> {
        switch kind {
        case "attribute", "relationship", "fetchedProperty": ["attribute", "relationship", "fetchedProperty"]
        default: [kind]
        }
    }

    // MARK: Checks

    func missing(_ steps: [ElementReference.Step]) -> EditRejection {
        steps.last.map { .missing($0) } ?? EditRejection("there is no model")
    }

    /// Rejects names that no editor could show or refer to. The linter reports names that Core Data does not support.
    static func checkName(_ name: String, of kind: String) throws(EditRejection) {
        guard !name.isEmpty else {
            throw EditRejection("a \(InspectorVocabulary.kindName(kind)) needs a name", help: "Enter a name.")
        }
        try checkCharacters(name)
    }

    /// Rejects characters that XML cannot represent.
    static func checkCharacters(_ text: String) throws(EditRejection) {
        let isUnsafe = text.unicodeScalars.contains { scalar in
            scalar.value < 0x20 && ![0x09, 0x0A, 0x0D].contains(scalar.value) || scalar.value == 0xFFFE
                || scalar.value == 0xFFFF
        }
        if isUnsafe { throw EditRejection("the text has a control character, which XML cannot hold") }
    }

    private static func isXMLName(_ text: String) -> Bool {
        !text.isEmpty && text.unicodeScalars.allSatisfy { $0.isASCII && $0.properties.isAlphabetic }
    }
}
