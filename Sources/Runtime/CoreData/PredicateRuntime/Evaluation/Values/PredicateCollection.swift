internal import Foundation

/// The elements of an array or a set.
package final class PredicateCollection {
    /// The kind of a collection, which operators preserve.
    package enum Kind: Sendable {
        /// An array: ordered, and may contain duplicates.
        case array
        /// A set: unordered, without duplicates.
        case set
        case orderedSet
    }

    /// The original collection; `nil` for an operator's result.
    let source: Any?
    let kind: Kind
    let count: Int
    /// The elements, once more than their number was accessed.
    private var cachedElements: [PredicateValue]?
    private let find: () -> [PredicateValue]

    /// Creates a collection of values.
    init(_ elements: [PredicateValue], kind: Kind, source: Any? = nil) {
        cachedElements = elements
        count = elements.count
        find = { [] }
        self.kind = kind
        self.source = source
    }

    /// Creates a collection of objects that are converted on first use. Until then, only one thread may use it.
    init(_ objects: some Sequence, count: Int, kind: Kind, source: Any) {
        self.count = count
        find = { objects.map { PredicateValue(any: $0) } }
        self.kind = kind
        self.source = source
    }

    /// The elements, in unspecified order for a set.
    var elements: [PredicateValue] {
        if let cachedElements { return cachedElements }
        let elements = find()
        cachedElements = elements
        return elements
    }
}

extension PredicateValue {
    /// The value with all its elements converted, so that several threads may use it.
    var prepared: PredicateValue {
        for element in elements ?? [] { _ = element.prepared }
        return self
    }
}

/// The values of a dictionary by their keys.
package final class PredicateDictionary {
    private enum Storage {
        case swift([String: Any])
        case foundation(NSDictionary)
    }

    private let storage: Storage

    init(_ dictionary: [String: Any]) {
        storage = .swift(dictionary)
    }

    init(_ dictionary: NSDictionary) {
        storage = .foundation(dictionary)
    }

    var source: Any {
        switch storage {
        case .swift(let dictionary): dictionary
        case .foundation(let dictionary): dictionary
        }
    }

    /// Returns the value for a key, or `nil` if the key is absent.
    func value(forKey key: String) -> Any? {
        switch storage {
        case .swift(let dictionary): dictionary[key]
        case .foundation(let dictionary): dictionary.object(forKey: NSString(string: key))
        }
    }

    /// Returns the value for a key that is not a string.
    func value(forKey key: Any) -> Any? {
        switch storage {
        case .swift(let dictionary): (key as? String).flatMap { dictionary[$0] }
        case .foundation(let dictionary): dictionary.object(forKey: key)
        }
    }

    var count: Int {
        switch storage {
        case .swift(let dictionary): dictionary.count
        case .foundation(let dictionary): dictionary.count
        }
    }

    var keys: [PredicateValue] {
        switch storage {
        case .swift(let dictionary): dictionary.keys.map { .string($0) }
        case .foundation(let dictionary): dictionary.allKeys.map { PredicateValue(any: $0) }
        }
    }

    var values: [PredicateValue] {
        switch storage {
        case .swift(let dictionary): dictionary.values.map { PredicateValue(any: $0) }
        case .foundation(let dictionary): dictionary.allValues.map { PredicateValue(any: $0) }
        }
    }

    func equals(_ other: PredicateDictionary) -> Bool {
        guard count == other.count else { return false }
        switch storage {
        case .swift(let dictionary):
            return dictionary.allSatisfy { key, value in
                guard let match = other.value(forKey: key) else { return false }
                return PredicateValue(any: value).equals(PredicateValue(any: match))
            }
        case .foundation(let dictionary):
            return dictionary.allKeys.allSatisfy { key in
                guard let value = dictionary.object(forKey: key), let match = other.value(forKey: key) else {
                    return false
                }
                return PredicateValue(any: value).equals(PredicateValue(any: match))
            }
        }
    }
}
