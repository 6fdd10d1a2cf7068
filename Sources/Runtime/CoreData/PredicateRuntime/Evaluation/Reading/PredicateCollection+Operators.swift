internal import RuntimeSupport

// The collection operators of "Key-Value Coding Programming Guide", Using Collection Operators.
extension PredicateCollection {
    /// Returns the result of an operator for the elements and the keys after it.
    func value(ofOperator name: String, keys: [String], after index: Int) -> PredicateValue {
        if name == "@count" {
            // Keys that follow are ignored.
            return .integer(Int64(count))
        }
        if let result = rareValue(ofOperator: name, keys: keys, after: index) { return result }
        guard index + 1 < keys.count else {
            // `@max` alone applies to the elements themselves, as `@max.self` does.
            return reduced(elements, by: name)
        }
        return reduced(values(forKeys: keys, after: index), by: name)
    }

    private func values(forKeys keys: [String], after index: Int) -> [PredicateValue] {
        elements.map { $0.value(forKeys: keys, from: index + 1) }
    }

    private func reduced(_ values: [PredicateValue], by name: String) -> PredicateValue {
        switch name {
        case "@sum": return Statistics.sum(values)
        case "@avg": return Statistics.average(values) ?? .integer(0)
        case "@min": return Statistics.extreme(values, .orderedAscending)
        case "@max": return Statistics.extreme(values, .orderedDescending)
        case "@unionOfObjects":
            return .collection(PredicateCollection(leaves(values, name), kind: .array))
        case "@distinctUnionOfObjects":
            return .collection(PredicateCollection(distinct: leaves(values, name), kind: .array))
        case "@unionOfArrays":
            return .collection(PredicateCollection(leaves(joined(values, name), name), kind: .array))
        case "@distinctUnionOfArrays":
            return .collection(PredicateCollection(distinct: leaves(joined(values, name), name), kind: .array))
        case "@unionOfSets", "@distinctUnionOfSets":
            return .collection(PredicateCollection(distinct: leaves(joined(values, name), name), kind: .set))
        default:
            misuseOfUndefinedKey(name, type: "NSArray", description: "not a collection operator")
        }
    }

    /// Returns the result of an operator that yields an element, whose keys may follow; `nil` for other operators.
    private func rareValue(ofOperator name: String, keys: [String], after index: Int) -> PredicateValue? {
        switch name {
        case "@firstObject", "@first": (elements.first ?? .null).value(forKeys: keys, from: index + 1)
        case "@lastObject", "@last": (elements.last ?? .null).value(forKeys: keys, from: index + 1)
        default: nil
        }
    }

    /// Returns the values. Traps if one is `nil`: Apple documents that all union operators then raise an exception.
    private func leaves(_ values: [PredicateValue], _ name: String) -> [PredicateValue] {
        guard !values.contains(where: \.isNull) else {
            misuse("NSInvalidArgumentException", "the operator \(name) met an object whose value is nil")
        }
        return values
    }

    private func joined(_ values: [PredicateValue], _ name: String) -> [PredicateValue] {
        values.flatMap { value -> [PredicateValue] in
            guard case .collection(let inner) = value else {
                misuse(
                    "NSInvalidArgumentException",
                    "the operator \(name) takes a collection of collections, not \(value.textForMessage)")
            }
            return inner.elements
        }
    }
}
