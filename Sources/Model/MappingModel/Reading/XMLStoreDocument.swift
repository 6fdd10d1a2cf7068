internal import Diagnostics
internal import ModelSchema
internal import ModelSource

/// An XML store of Core Data (`NSXMLStoreType`): objects with attributes and relationships
/// (Documentation/Formats/XMLStore.md, 1).
struct XMLStoreDocument {
    /// The types of attributes that mapping models have.
    enum ValueType: String {
        case string, int16, bool, binary
    }

    struct Object {
        var type: String
        var id: String
        var origin: ElementOrigin
        var attributes: [String: (type: String, origin: ElementOrigin)] = [:]
        var relationships: [String: (ids: [String], origin: ElementOrigin)] = [:]
    }

    let file: XMLFile
    /// The objects, in the order of the file.
    private(set) var objects: [Object] = []
    private var indexes: [String: Int] = [:]

    /// Reads the objects of a store.
    init(_ file: XMLFile, _ findings: inout FindingCollector) {
        self.file = file
        guard let root = file.root else { return }
        for element in file.children(of: root) {
            switch file.name(of: element) {
            case "object": addObject(element, &findings)
            case "databaseInfo": break
            default:
                let name = file.name(of: element)
                findings.add(
                    .note, rule: .unknownXML, message: "the element <\(name)> is unknown and has no effect", at: element
                )
            }
        }
    }

    func object(_ id: String) -> Object? { indexes[id].map { objects[$0] } }

    private mutating func addObject(_ element: ElementOrigin, _ findings: inout FindingCollector) {
        guard let type = file.attribute("type", of: element), let id = file.attribute("id", of: element), !id.isEmpty
        else {
            // In an incomplete file, the attributes may be in the unreadable part.
            if !file.isIncomplete { findings.malformed("an <object> has no type or no id", at: element) }
            return
        }
        guard indexes[id] == nil else { return findings.malformed("two objects have the id “\(id)”", at: element) }
        var object = Object(type: type, id: id, origin: element)
        for child in file.children(of: element) {
            let kind = file.name(of: child)
            guard kind == "attribute" || kind == "relationship", let name = file.attribute("name", of: child) else {
                findings.malformed(
                    "the object “\(id)” has a <\(kind)> that is neither an attribute nor a relationship", at: child)
                continue
            }
            guard object.attributes[name] == nil, object.relationships[name] == nil else {
                findings.malformed("the object “\(id)” has two values for “\(name)”", at: child)
                continue
            }
            if kind == "attribute" {
                object.attributes[name] = (file.attribute("type", of: child) ?? "", child)
            } else {
                let ids = (file.attribute("idrefs", of: child) ?? "").split(separator: " ").map(String.init)
                object.relationships[name] = (ids, child)
            }
        }
        indexes[id] = objects.count
        objects.append(object)
    }

    // MARK: Values

    /// Returns the string under a name of an object; `nil` if there is none.
    func string(_ name: String, of object: Object, _ findings: inout FindingCollector) -> String? {
        text(name, type: .string, of: object, findings: &findings).map { StoreText.unescaped($0.text) }
    }

    /// Returns the string under a name of an object; `nil` if there is none or it is empty.
    func nonEmptyString(_ name: String, of object: Object, _ findings: inout FindingCollector) -> String? {
        string(name, of: object, &findings).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the bytes under a name of an object; `nil` if there are none.
    func data(_ name: String, of object: Object, _ findings: inout FindingCollector) -> [UInt8]? {
        guard let (text, origin) = text(name, type: .binary, of: object, findings: &findings) else { return nil }
        guard let bytes = Base64.decode(text) else {
            findings.malformed("the value of “\(name)” is not base64", at: origin)
            return nil
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// Returns the number under a name of an object; `nil` if there is none.
    func integer(_ name: String, of object: Object, _ findings: inout FindingCollector) -> Int? {
        guard let (text, origin) = text(name, type: .int16, of: object, findings: &findings) else { return nil }
        guard let number = Int16(text) else {
            findings.malformed("the value “\(text)” of “\(name)” is not a 16-bit integer", at: origin)
            return nil
        }
        return Int(number)
    }

    private func text(
        _ name: String, type: ValueType, of object: Object, findings: inout FindingCollector
    ) -> (text: String, origin: ElementOrigin)? {
        guard let value = object.attributes[name] else { return nil }
        guard value.type == type.rawValue else {
            findings.malformed(
                "the type of “\(name)” is “\(value.type)” instead of “\(type.rawValue)”", at: value.origin)
            return nil
        }
        return (file.text(of: value.origin), value.origin)
    }

    /// Returns the destinations of a relationship, without those that do not exist or have another type.
    func objects(
        _ name: String, of object: Object, type: String, _ findings: inout FindingCollector
    ) -> [Object] {
        guard let (ids, origin) = object.relationships[name] else { return [] }
        var result: [Object] = []
        for id in ids {
            guard let target = self.object(id) else {
                guard !file.isIncomplete else { continue }
                findings.malformed("“\(name)” refers to the object “\(id)”, which does not exist", at: origin)
                continue
            }
            guard target.type == type else {
                findings.malformed("“\(name)” refers to the object “\(id)”, which is an \(target.type)", at: origin)
                continue
            }
            result.append(target)
        }
        return result
    }
}
