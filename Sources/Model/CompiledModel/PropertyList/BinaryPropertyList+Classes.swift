extension BinaryPropertyList {
    /// The classes of objects in a keyed archive, each as the names of the class and its superclasses.
    ///
    /// Unarchiving code can check in advance whether all of them are allowed.
    package var archivedClassNames: [[String]] { objects.indices.compactMap { classNames(at: $0) } }

    /// The class of a keyed archive's root object, as the names of the class and its superclasses; `nil` if there is no
    /// root object.
    package var archivedRootClassNames: [String]? {
        guard let top = value("$top", at: rootIndex), let root = value("root", at: top),
            let object = archivedObject(at: root)
        else { return nil }
        switch objects[object] {
        // Some values are stored in an archive without a class.
        case .string(let text): return text == "$null" ? nil : ["NSString"]
        case .boolean, .integer, .largeInteger, .real, .float: return ["NSNumber"]
        case .data: return ["NSData"]
        default: return value("$class", at: object).flatMap(archivedObject).flatMap(classNames)
        }
    }

    /// Returns the index of the object that a reference in the archive refers to.
    private func archivedObject(at reference: Int) -> Int? {
        guard case .uid(let number) = objects[reference], let list = value("$objects", at: rootIndex),
            case .array(let references) = objects[list], number < references.count
        else { return nil }
        return index(references.start + number)
    }

    /// Returns the names in the description of a class; `nil` for anything else.
    private func classNames(at object: Int) -> [String]? {
        guard let list = value("$classes", at: object), case .array(let names) = objects[list] else { return nil }
        return indexes(names).compactMap { name in
            if case .string(let text) = objects[Int(name)] { text } else { nil }
        }
    }

    /// Returns the index of the object that a dictionary has for a key.
    private func value(_ key: String, at object: Int) -> Int? {
        guard case .dictionary(let references) = objects[object] else { return nil }
        for (offset, number) in indexes(references).enumerated() {
            guard case .string(key) = objects[Int(number)] else { continue }
            return index(references.start + references.count + offset)
        }
        return nil
    }
}
