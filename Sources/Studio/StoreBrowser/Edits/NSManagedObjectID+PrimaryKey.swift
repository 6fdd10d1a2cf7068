internal import CoreData

extension NSManagedObjectID {
    var uriText: String { uriRepresentation().absoluteString }

    /// The primary key within the entity, such as `12` in `…/Book/p12`; empty for unsaved objects.
    var keyText: String {
        guard !isTemporaryID else { return "" }
        let last = uriRepresentation().lastPathComponent
        return last.hasPrefix("p") ? String(last.dropFirst()) : last
    }

    /// Whether the object comes first in lists without another order: by entity, then by primary key.
    func precedes(_ other: NSManagedObjectID) -> Bool {
        let (name, otherName) = (entity.name ?? "", other.entity.name ?? "")
        guard name == otherName else { return name < otherName }
        let (key, otherKey) = (keyText, other.keyText)
        guard let number = Int64(key), let otherNumber = Int64(otherKey) else { return key < otherKey }
        return number < otherNumber
    }
}

extension NSAttributeDescription {
    /// Whether the studio can edit values of the attribute: it has a type that can be typed in or read from a file.
    var isEditable: Bool {
        ![.transformableAttributeType, .undefinedAttributeType, .objectIDAttributeType].contains(attributeType)
            && !(self is NSDerivedAttributeDescription)
    }
}

extension NSCompositeAttributeDescription {
    /// The elements that are not composite themselves, nested ones included, with their key paths.
    var fields: [(path: String, attribute: NSAttributeDescription)] {
        elements.flatMap { element -> [(path: String, attribute: NSAttributeDescription)] in
            let inner = (element as? NSCompositeAttributeDescription)?.fields ?? [(element.name, element)]
            return inner.map { ("\(name).\($0.path)", $0.attribute) }
        }
    }
}

extension NSEntityDescription {
    /// The attribute with a name, or the element at a key path into a composite attribute; `nil` if there is none.
    func attribute(at path: String) -> NSAttributeDescription? {
        let names = path.split(separator: ".").map(String.init)
        guard let first = names.first else { return nil }
        return names.dropFirst().reduce(attributesByName[first]) { attribute, name in
            (attribute as? NSCompositeAttributeDescription)?.elements.first { $0.name == name }
        }
    }
}
