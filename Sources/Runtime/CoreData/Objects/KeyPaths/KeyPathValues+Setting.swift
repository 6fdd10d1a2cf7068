internal import Foundation
internal import RuntimeSupport

// Setting values at the end of key paths, through relationships and composite attributes.
extension KeyPathValues {
    /// Sets the value at the end of a path. Does nothing if a relationship on the path has no object.
    static func set(_ value: Any?, of object: Any?, _ keyPath: String) {
        guard let dot = keyPath.lastIndex(of: ".") else { return setKey(value, of: object, keyPath) }
        if setElement(value, of: object, keyPath) { return }
        setKey(
            value, of: self.value(of: object, String(keyPath[..<dot])), String(keyPath[keyPath.index(after: dot)...]))
    }

    /// Sets an element of a composite attribute, by setting the attribute to a changed copy of its dictionary.
    ///
    /// - Returns: Whether the path contains a composite attribute.
    private static func setElement(_ value: Any?, of object: Any?, _ keyPath: String) -> Bool {
        var (owner, rest) = (object, keyPath)
        while let managed = owner as? NSManagedObject, let (key, path) = split(rest), !path.isEmpty {
            if managed.entity.attributesByName[key] is NSCompositeAttributeDescription {
                let group = managed.value(forKey: key) as? [String: Any] ?? [:]
                managed.setValue(replacing(path, in: group, by: Unwrapping.value(value)), forKey: key)
                return true
            }
            (owner, rest) = (managed.value(forKey: key), path)
        }
        return false
    }

    private static func replacing(_ path: String, in group: [String: Any], by value: Any?) -> [String: Any] {
        guard let (key, rest) = split(path) else { return group }
        var result = group
        result[key] = rest.isEmpty ? value : replacing(rest, in: group[key] as? [String: Any] ?? [:], by: value)
        return result
    }

    private static func setKey(_ value: Any?, of owner: Any?, _ key: String) {
        guard let owner = Unwrapping.value(owner) else { return }
        switch owner {
        case let object as NSManagedObject: object.setValue(value, forKey: key)
        case let dictionary as NSMutableDictionary:
            if let value { dictionary[key] = value } else { dictionary.removeObject(forKey: key) }
        default:
            guard let members = collection(owner) else {
                misuse(
                    "NSUnknownKeyException",
                    "a value of the type \(type(of: owner)) is not key value coding-compliant for the key “\(key)”")
            }
            for member in members { setKey(value, of: member, key) }
        }
    }

    /// Returns the object before the end of a path of to-one relationships, and the key there.
    static func owner(of keyPath: String, _ object: NSManagedObject) -> (NSManagedObject, String) {
        guard let dot = keyPath.lastIndex(of: ".") else { return (object, keyPath) }
        let path = String(keyPath[..<dot])
        guard let owner = value(of: object, path) as? NSManagedObject else {
            misuse("NSInvalidArgumentException", "the key path “\(path)” of \(object.debugName) resolves to nil")
        }
        return (owner, String(keyPath[keyPath.index(after: dot)...]))
    }

    private static func split(_ keyPath: String) -> (key: String, rest: String)? {
        guard !keyPath.isEmpty else { return nil }
        guard let dot = keyPath.firstIndex(of: ".") else { return (keyPath, "") }
        return (String(keyPath[..<dot]), String(keyPath[keyPath.index(after: dot)...]))
    }

    private static func collection(_ value: Any) -> [Any]? {
        switch value {
        case let set as NSOrderedSet: set.array
        case let set as NSSet: set.allObjects
        case let array as NSArray: array.map { $0 }
        case let array as [Any]: array
        default: nil
        }
    }
}
