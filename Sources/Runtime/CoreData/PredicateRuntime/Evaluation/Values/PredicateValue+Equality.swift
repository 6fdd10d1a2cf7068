internal import Foundation
internal import RuntimeSupport

extension PredicateValue {
    /// Returns whether two values are equal by the rules of `isEqual:`: numbers of all types by value, strings by code
    /// units, values of different kinds never. `nil` only equals `nil` and `NSNull`.
    func equals(_ other: PredicateValue) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.string(let left), .string(let right)): left.isSame(right)
        case (.integer(let left), .integer(let right)): left == right
        case (.date(let left), .date(let right)): left == right
        case (.uuid(let left), .uuid(let right)): left == right
        case (.data(let left), .data(let right)): left == right
        case (.slotted(let left), .slotted(let right)): left === right || Self.same(left, right)
        case (.slotted(let object), .other(let other)), (.other(let other), .slotted(let object)):
            object.predicateIdentity?.isEqual(other.value) ?? false
        case (.readable(let left), .readable(let right)): left === right || Self.equal(left, right)
        case (.collection(let left), .collection(let right)): left.equals(right)
        case (.dictionary(let left), .dictionary(let right)): left.equals(right)
        case (.other(let left), .other(let right)): Self.equal(left.value, right.value)
        default: numberOrder(other) == .same
        }
    }

    /// Returns whether two objects have the same identity in a store, or are equal.
    private static func same(_ left: any SlotReadable, _ right: any SlotReadable) -> Bool {
        guard let first = left.predicateIdentity, let second = right.predicateIdentity else {
            return equal(left, right)
        }
        return first.isEqual(second)
    }

    /// Returns whether two objects are equal by their own comparison or, if they have none, identical.
    private static func equal(_ left: Any, _ right: Any) -> Bool {
        if let left = left as? NSObject { return left.isEqual(right) }
        if let left = left as? AnyHashable, let right = right as? AnyHashable { return left == right }
        guard type(of: left) is AnyObject.Type, type(of: right) is AnyObject.Type else {
            guard type(of: left) == type(of: right) else { return false }
            misuse(
                "NSInvalidArgumentException",
                "Can't compare two values of the type \(type(of: left)), which is not Hashable")
        }
        return left as AnyObject === right as AnyObject
    }
}

extension String {
    /// Returns whether two strings have the same code units. `==` is also `true` for canonically equivalent strings,
    /// which `isEqualToString:` and SQLite distinguish; but strings that differ by `==` do differ.
    func isSame(_ other: String) -> Bool {
        utf8.count == other.utf8.count && self == other && (utf8.count < 2 || utf8.elementsEqual(other.utf8))
    }
}

extension PredicateCollection {
    /// Returns whether two collections are equal: arrays element by element, sets regardless of order, and never an
    /// array and a set.
    func equals(_ other: PredicateCollection) -> Bool {
        guard kind == other.kind, count == other.count else { return false }
        switch kind {
        case .array, .orderedSet:
            return zip(elements, other.elements).allSatisfy { $0.equals($1) }
        case .set:
            let members = ValueSet(other.elements)
            return elements.allSatisfy { members.contains($0) }
        }
    }
}

struct HashableValue: Hashable {
    let value: PredicateValue

    static func == (left: HashableValue, right: HashableValue) -> Bool { left.value.equals(right.value) }

    func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}

/// A set of values with fast membership tests.
struct ValueSet {
    private typealias Key = HashableValue

    private var keys: Set<Key>

    init(_ values: some Sequence<PredicateValue>) {
        keys = Set(values.map { Key(value: $0) })
    }

    func contains(_ value: PredicateValue) -> Bool {
        keys.contains(Key(value: value))
    }

    /// Adds a value, and returns whether there was no equal one.
    mutating func insert(_ value: PredicateValue) -> Bool {
        keys.insert(Key(value: value)).inserted
    }
}

extension PredicateValue {
    /// Hashes the value. All numbers are hashed as their nearest `Double`, so that equal values have equal hashes.
    fileprivate func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .boolean(let flag): hasher.combine(flag ? 1.0 : 0.0)
        case .integer(let number): hasher.combine(Double(number))
        case .real(let number): hasher.combine(number)
        // Decimals compare by their digits: parsing the text yields the Double that is printed that way.
        case .decimal(let number): hasher.combine(Double(number.stringValue) ?? number.doubleValue)
        case .date(let seconds): hasher.combine(seconds)
        case .string(let text): hasher.combine(text)
        case .uuid(let uuid): hasher.combine(uuid)
        case .data(let data): hasher.combine(data)
        case .collection(let collection): hasher.combine(collection.count)
        case .dictionary(let dictionary): hasher.combine(dictionary.count)
        case .readable(let object): Self.hash(object, into: &hasher)
        case .slotted(let object): Self.hash(object.predicateIdentity ?? object, into: &hasher)
        case .other(let other): Self.hash(other.value, into: &hasher)
        }
    }

    private static func hash(_ value: Any, into hasher: inout Hasher) {
        if let object = value as? NSObject {
            hasher.combine(object.hash)
        } else if let hashable = value as? AnyHashable {
            hasher.combine(hashable)
        } else if type(of: value) is AnyObject.Type {
            hasher.combine(ObjectIdentifier(value as AnyObject))
        }
    }
}
