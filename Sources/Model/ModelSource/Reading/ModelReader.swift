internal import Diagnostics
internal import ModelSchema

/// Converts the elements of a `contents` file to a `Model`.
///
/// Each kind of element has its own function, which reads the attributes of Documentation/Formats/ModelSource.md, 2.
/// Unread attributes are kept as unrecognized and reported.
struct ModelReader {
    let tree: XMLTree
    var findings: [ModelFinding] = []

    init(tree: XMLTree) {
        self.tree = tree
    }

    /// Reads the model below the root element.
    mutating func readModel(name: String) -> Model {
        var model = Model(name: name)
        guard let root = tree.elements.first else { return model }
        var reader = ElementReader(root, index: 0)
        model.origin = reader.origin
        model.settings = readSettings(&reader)
        model.unrecognized = reader.leftovers(&findings)
        recordText()
        for child in root.children {
            switch tree.elements[child].name {
            case "entity": model.entities.append(readEntity(child))
            case "fetchRequest": model.fetchRequests.append(readFetchRequest(child))
            case "configuration": model.configurations.append(readConfiguration(child))
            case "composite": model.composites.append(readComposite(child))
            case "elements": model.canvas += readCanvas(child, &model.unrecognized)
            default: unknown(child, in: root.name, &model.unrecognized)
            }
        }
        return model
    }

    private mutating func readSettings(_ reader: inout ElementReader) -> ModelSettings {
        var settings = ModelSettings()
        settings.legacyName = reader.string(.name)
        settings.type = reader.string(.type)
        settings.documentVersion = reader.string(.documentVersion)
        settings.lastSavedToolsVersion = reader.string(.lastSavedToolsVersion)
        settings.systemVersion = reader.string(.systemVersion)
        settings.minimumToolsVersion = reader.string(.minimumToolsVersion)
        settings.sourceLanguage = reader.string(.sourceLanguage)
        settings.usedWithCloudKit = reader.flag(.usedWithCloudKit, &findings)
        settings.usedWithSwiftData = reader.flag(.usedWithSwiftData, &findings)
        settings.userDefinedModelVersionIdentifier = reader.string(.userDefinedModelVersionIdentifier)
        settings.macOSVersion = reader.string(.macOSVersion)
        settings.iOSVersion = reader.string(.iOSVersion)
        return settings
    }

    private mutating func readConfiguration(_ index: Int) -> Configuration {
        let element = tree.elements[index]
        var reader = ElementReader(element, index: index)
        var configuration = Configuration(name: reader.requiredString(.name))
        configuration.usedWithCloudKit = reader.flag(.usedWithCloudKit, &findings)
        configuration.origin = reader.origin
        configuration.unrecognized = reader.leftovers(&findings)
        for child in element.children {
            guard tree.elements[child].name == "memberEntity" else {
                unknown(child, in: element.name, &configuration.unrecognized)
                continue
            }
            let name = mention(child, attribute: .name, &configuration.unrecognized)
            configuration.members.append(Configuration.Member(entityName: name.name, origin: name.origin))
        }
        return configuration
    }

    private mutating func readComposite(_ index: Int) -> CompositeType {
        let element = tree.elements[index]
        var reader = ElementReader(element, index: index)
        var composite = CompositeType(name: reader.requiredString(.name))
        composite.origin = reader.origin
        composite.unrecognized = reader.leftovers(&findings)
        for child in element.children {
            if tree.elements[child].name == "attribute" {
                composite.attributes.append(readAttribute(child))
            } else {
                unknown(child, in: element.name, &composite.unrecognized)
            }
        }
        return composite
    }

    private mutating func readCanvas(_ index: Int, _ unrecognized: inout [UnrecognizedItem]) -> [CanvasElement] {
        let element = tree.elements[index]
        unrecognized += ElementReader(element, index: index).leftovers(&findings)
        var boxes: [CanvasElement] = []
        for child in element.children {
            guard tree.elements[child].name == "element" else {
                unknown(child, in: element.name, &unrecognized)
                continue
            }
            var reader = ElementReader(tree.elements[child], index: child)
            var box = CanvasElement(
                name: reader.requiredString(.name), positionX: reader.requiredString(.positionX),
                positionY: reader.requiredString(.positionY), width: reader.requiredString(.width),
                height: reader.requiredString(.height))
            box.origin = reader.origin
            unrecognized += reader.leftovers(&findings)
            boxes.append(box)
        }
        return boxes
    }

    mutating func readUserInfo(_ index: Int, _ unrecognized: inout [UnrecognizedItem]) -> [UserInfoEntry] {
        let element = tree.elements[index]
        unrecognized += ElementReader(element, index: index).leftovers(&findings)
        var entries: [UserInfoEntry] = []
        for child in element.children {
            guard tree.elements[child].name == "entry" else {
                unknown(child, in: element.name, &unrecognized)
                continue
            }
            var reader = ElementReader(tree.elements[child], index: child)
            entries.append(
                UserInfoEntry(
                    key: reader.requiredString(.key), value: reader.requiredString(.value), origin: reader.origin))
            unrecognized += reader.leftovers(&findings)
        }
        return entries
    }

    /// Reads an element that contains one name, such as `<constraint value="id"/>`.
    mutating func mention(
        _ index: Int, attribute: XMLName, _ unrecognized: inout [UnrecognizedItem]
    ) -> PropertyMention {
        var reader = ElementReader(tree.elements[index], index: index)
        let name = reader.requiredString(attribute)
        unrecognized += reader.leftovers(&findings)
        return PropertyMention(name: name, origin: reader.origin)
    }

    /// Keeps and reports an element that the vocabulary does not allow here.
    mutating func unknown(_ index: Int, in parent: String, _ unrecognized: inout [UnrecognizedItem]) {
        let name = tree.elements[index].name
        unrecognized.append(UnrecognizedItem(name: name, kind: .element, origin: ElementOrigin(index: index)))
        findings.record(
            ModelFinding(
                .note, rule: .unknownXML, "the element <\(name)> inside <\(parent)> is unknown and has no effect",
                at: ElementOrigin(index: index), help: ModelVocabulary.elementHelp(name, in: parent)))
    }

    /// Reports the children of an element that has only attributes.
    mutating func noChildren(_ element: XMLElement, _ unrecognized: inout [UnrecognizedItem]) {
        for child in element.children { unknown(child, in: element.name, &unrecognized) }
    }

    /// Reports text between elements. Models have none, so it is a mistake or the result of a bad merge.
    private mutating func recordText() {
        for (index, element) in tree.elements.enumerated() where !element.text.isEmpty {
            let words = element.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            let shown = words.count > 40 ? String(words.prefix(40)) + "…" : words
            findings.record(
                ModelFinding(
                    .note, rule: .unknownXML, "the text “\(shown)” inside <\(element.name)> has no effect",
                    at: ElementOrigin(index: index), help: "Models have no text between elements; remove it."))
        }
    }
}
