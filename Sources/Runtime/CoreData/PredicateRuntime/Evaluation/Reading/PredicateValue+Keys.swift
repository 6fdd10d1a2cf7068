internal import Foundation
internal import RuntimeSupport

// Key-value coding, as described in Apple's "Key-Value Coding Programming Guide".
extension PredicateValue {
    /// Returns the value of a key path, starting with the key at an index.
    func value(forKeys keys: [String], from start: Int = 0) -> PredicateValue {
        var value = self
        var index = start
        while index < keys.count {
            let key = keys[index]
            switch value {
            // A key of nil yields nil.
            case .null: return .null
            case .collection(let collection):
                if key.utf8.first == UInt8(ascii: "@") {
                    return collection.value(ofOperator: key, keys: keys, after: index)
                }
                value = .collection(collection.values(forKey: key))
            default:
                value = value.value(forKey: key)
            }
            index += 1
        }
        return value
    }

    /// Returns the value of a key path without operators. The values of a collection's managed objects include equal
    /// ones, and omit `nil`, like the rows of a join.
    func allValues(forKeys keys: [String]) -> PredicateValue {
        var value = self
        for key in keys {
            if case .collection(let collection) = value, let values = collection.allValues(forKey: key) {
                value = .collection(values)
            } else {
                value = value.value(forKeys: [key])
            }
        }
        return value
    }

    /// Returns the value of a property of a single object.
    ///
    /// Traps with the key and the type if the key is unknown.
    func value(forKey key: String) -> PredicateValue {
        switch self {
        case .null: return .null
        case .slotted(let object):
            return object.slot(forKey: key).map { object.slotValue($0) }
                ?? PredicateValue(any: object.value(forKey: key))
        case .readable(let object): return PredicateValue(any: object.value(forKey: key))
        case .dictionary(let dictionary): return dictionary.value(forCodedKey: key)
        case .collection(let collection): return collection.value(forKeyOrOperator: key)
        case .other(let other):
            if key == "self" { return self }
            if let url = other.value as? URL, let value = url.value(forPredicateKey: key) { return value }
            return Reflection.value(of: other.value, forKey: key)
        case .boolean, .integer, .real, .decimal, .date, .string, .uuid, .data:
            if key == "self" { return self }
            guard let value = scalarValue(forKey: key) else { undefined(key) }
            return value
        }
    }

    private func undefined(_ key: String) -> Never {
        misuseOfUndefinedKey(key, type: any.map { "\(type(of: $0))" } ?? "nil", description: textForMessage)
    }
}

/// Traps where `valueForUndefinedKey:` raises an exception on Apple's platforms.
func misuseOfUndefinedKey(_ key: String, type: String, description: String) -> Never {
    misuse(
        "NSUnknownKeyException",
        "[<\(type)> valueForUndefinedKey:]: this class is not key value coding-compliant for the key \(key). (\(description))"
    )
}

extension PredicateCollection {
    /// Returns the value of a property for each element. An array contains `NSNull` for `nil`, whereas a set omits it,
    /// as Apple documents for `value(forKey:)` of `NSArray` and `NSSet`.
    func values(forKey key: String) -> PredicateCollection {
        if key == "self" { return self }
        let values = elements.map { element -> PredicateValue in
            if case .collection(let inner) = element { return .collection(inner.values(forKey: key)) }
            return element.value(forKey: key)
        }
        switch kind {
        case .array: return PredicateCollection(values, kind: .array)
        case .set, .orderedSet: return PredicateCollection(distinct: values.lazy.filter { !$0.isNull }, kind: kind)
        }
    }

    /// Returns the values of a property of all elements that are not `nil`, or `nil` if an element is not a managed
    /// object.
    fileprivate func allValues(forKey key: String) -> PredicateCollection? {
        if key == "self" { return self }
        var values: [PredicateValue] = []
        for element in elements {
            guard case .slotted = element else { return nil }
            switch element.value(forKey: key) {
            case .null: continue
            case .collection(let inner) where inner.elements.allSatisfy(\.isSlotted): values += inner.elements
            case let value: values.append(value)
            }
        }
        return PredicateCollection(values, kind: .array)
    }

    fileprivate func value(forKeyOrOperator key: String) -> PredicateValue {
        key.utf8.first == UInt8(ascii: "@")
            ? value(ofOperator: key, keys: [key], after: 0) : .collection(values(forKey: key))
    }

    /// Creates a collection of the distinct values.
    convenience init(distinct values: some Sequence<PredicateValue>, kind: Kind) {
        var seen = ValueSet(EmptyCollection())
        self.init(values.filter { seen.insert($0) }, kind: kind)
    }
}

extension PredicateDictionary {
    /// Returns the object for the key or, as Apple documents, a value of the dictionary itself if the key begins with
    /// `@`.
    fileprivate func value(forCodedKey key: String) -> PredicateValue {
        guard key.utf8.first == UInt8(ascii: "@") else { return PredicateValue(any: value(forKey: key)) }
        switch key {
        case "@count": return .integer(Int64(count))
        case "@allKeys": return .collection(PredicateCollection(keys, kind: .array))
        case "@allValues": return .collection(PredicateCollection(values, kind: .array))
        default: misuseOfUndefinedKey(String(key.dropFirst()), type: "NSDictionary", description: "a dictionary")
        }
    }
}
