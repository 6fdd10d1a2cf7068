internal import Foundation

/// Evaluation of key paths. Collections and their operators, and values other than objects, are the predicate evaluator's.
enum KeyPathValues {
    /// Returns the value at the end of a path.
    static func value(of object: Any?, _ keyPath: String) -> Any? {
        var keys = keyPath.split(separator: ".").map(String.init)[...]
        var value = ValueConversion.unwrapped(object)
        // Objects are asked themselves, because classes may override the method.
        while let key = keys.first, let readable = value as? any KeyValueReadable {
            value = ValueConversion.unwrapped(readable.value(forKey: key))
            keys.removeFirst()
        }
        guard !keys.isEmpty, let value else { return value }
        return exported(PredicateValue(any: value).value(forKeys: Array(keys)))
    }

    /// Returns a value as key-value coding does: numbers and collections of Foundation's classes.
    private static func exported(_ value: PredicateValue) -> Any? {
        switch value {
        case .decimal(let number): return number
        case .collection(let collection) where collection.source == nil:
            let values = collection.elements.map { exported($0) ?? NSNull() }
            switch collection.kind {
            case .array: return NSArray(array: values)
            case .set: return NSSet(array: values.map(HashableDecimal.replacing))
            case .orderedSet: return NSOrderedSet(array: values.map(HashableDecimal.replacing))
            }
        default: return value.any
        }
    }

    /// Sets the value at the end of a path. Does nothing if a relationship on the path has no object.
    static func set(_ value: Any?, of object: Any?, _ keyPath: String) {
        guard let dot = keyPath.lastIndex(of: ".") else { return setKey(value, of: object, keyPath) }
        if setElement(value, of: object, keyPath) { return }
        setKey(
            value, of: self.value(of: object, String(keyPath[..<dot])), String(keyPath[keyPath.index(after: dot)...]))
    }

    /// Sets an element of a composite attribute, by setting the attribute to a changed copy of its dictionary.
    ///
    /// - Returns: whether the path contains a composite attribute.
    private static func setElement(_ value: Any?, of object: Any?, _ keyPath: String) -> Bool {
        var (owner, rest) = (object, keyPath)
        while let managed = owner as? NSManagedObject, let (key, path) = split(rest), !path.isEmpty {
            if managed.entity.attributesByName[key] is NSCompositeAttributeDescription {
                let group = managed.value(forKey: key) as? [String: Any] ?? [:]
                managed.setValue(replacing(path, in: group, by: ValueConversion.unwrapped(value)), forKey: key)
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
        guard let owner = ValueConversion.unwrapped(owner) else { return }
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
            misuse("NSInvalidArgumentException", "the key path “\(path)” of \(object.debugName) leads to no object")
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

/// The order of values of one attribute.
enum AttributeOrder {
    /// Compares two values. A missing value comes first.
    static func compare(_ one: Any?, _ other: Any?) -> ComparisonResult {
        let (one, other) = (ValueConversion.unwrapped(one), ValueConversion.unwrapped(other))
        guard let one else { return other == nil ? .orderedSame : .orderedAscending }
        guard let other else { return .orderedDescending }
        switch (one, other) {
        case (let a as NSNumber, let b as NSNumber): return a.compare(b)
        case (let a as String, let b as String): return order(a, b)
        case (let a as Date, let b as Date): return order(a, b)
        case (let a as UUID, let b as UUID): return order(a.uuidString, b.uuidString)
        case (let a as URL, let b as URL): return order(a.absoluteString, b.absoluteString)
        default:
            misuse(
                "NSInvalidArgumentException",
                "values of the types \(type(of: one)) and \(type(of: other)) have no order")
        }
    }

    /// Compares two strings byte by byte, as a SQLite store does.
    static func order(_ one: String, _ other: String) -> ComparisonResult {
        switch one.withUTF8Bytes({ one in other.withUTF8Bytes { StringComparison.byteOrder(one, $0) } }) {
        case .ascending: .orderedAscending
        case .descending: .orderedDescending
        case .same, .unordered: .orderedSame
        }
    }

    private static func order<Value: Comparable>(_ one: Value, _ other: Value) -> ComparisonResult {
        one < other ? .orderedAscending : one == other ? .orderedSame : .orderedDescending
    }
}
