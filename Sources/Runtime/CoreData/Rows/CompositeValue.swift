internal import Foundation
internal import RuntimeSupport

/// The values of composite attributes: dictionaries whose keys are the names of the elements.
package enum CompositeValue {
    /// Returns the dictionary with each value converted to its element's type, omitting `nil` values. Returns `nil` if
    /// a key is not an element's name or a value has the wrong class.
    static func converted(_ value: Any, _ elements: [NSAttributeDescription]) -> NSDictionary? {
        guard let given = value as? [String: Any] else { return nil }
        var result: [String: Any] = [:]
        for (key, value) in given {
            guard let element = elements.first(where: { $0.name == key }) else { return nil }
            guard let value = Unwrapping.value(value) else { continue }
            if let composite = element as? NSCompositeAttributeDescription {
                guard let inner = converted(value, composite.elements) else { return nil }
                result[key] = inner
            } else {
                guard let slot = ValueConversion.slotValue(value, element.attributeType) else { return nil }
                result[key] = slot.anyValue
            }
        }
        return NSDictionary(dictionary: result)
    }

    /// Returns the elements that are not composite themselves, with the names on the path to them.
    package static func elements(
        of composite: NSCompositeAttributeDescription
    ) -> [(path: [String], element: NSAttributeDescription)] {
        composite.elements.flatMap { element in
            guard let inner = element as? NSCompositeAttributeDescription else { return [([element.name], element)] }
            return elements(of: inner).map { ([element.name] + $0.path, $0.element) }
        }
    }

    /// Returns the elements, including those of nested groups, with their key paths and values.
    static func leaves(
        _ value: Any?, composite: NSCompositeAttributeDescription, prefix: String
    ) -> [(path: String, element: NSAttributeDescription, value: Any?)] {
        let values = value as? [String: Any]
        return composite.elements.flatMap { element in
            let (path, value) = ("\(prefix).\(element.name)", values?[element.name])
            guard let inner = element as? NSCompositeAttributeDescription else { return [(path, element, value)] }
            return leaves(value, composite: inner, prefix: path)
        }
    }
}

/// The elements of a composite attribute, for stores that keep each of them in a column.
///
/// A store cannot distinguish a group without values from a missing group: such a group is omitted, and an optional
/// attribute is `nil`. A required attribute is then an empty dictionary, which is what was saved.
package struct CompositeElements {
    private enum Element {
        case leaf(name: String, index: Int)
        case group(name: String, [Element])
    }

    private let elements: [Element]
    private let leaves: [(path: [String], type: NSAttributeType)]
    private let isOptional: Bool

    package init(_ composite: NSCompositeAttributeDescription) {
        var next = 0
        elements = Self.elements(of: composite, &next)
        leaves = CompositeValue.elements(of: composite).map { ($0.path, $0.element.attributeType) }
        isOptional = composite.isOptional
    }

    private static func elements(of composite: NSCompositeAttributeDescription, _ next: inout Int) -> [Element] {
        var result: [Element] = []
        for element in composite.elements {
            if let inner = element as? NSCompositeAttributeDescription {
                result.append(.group(name: inner.name, elements(of: inner, &next)))
            } else {
                result.append(.leaf(name: element.name, index: next))
                next += 1
            }
        }
        return result
    }

    /// Returns the composite value of elements, in the order of `CompositeValue.elements(of:)`.
    package func value(_ values: [SlotValue]) -> SlotValue {
        let group = Self.dictionary(elements, values)
        return group.isEmpty && isOptional ? .null : .object(NSDictionary(dictionary: group))
    }

    private static func dictionary(_ elements: [Element], _ values: [SlotValue]) -> [String: Any] {
        var result: [String: Any] = [:]
        for element in elements {
            switch element {
            case .leaf(let name, let index): result[name] = values[index].anyValue
            case .group(let name, let elements):
                let inner = dictionary(elements, values)
                if !inner.isEmpty { result[name] = NSDictionary(dictionary: inner) }
            }
        }
        return result
    }

    /// Returns the values of the elements.
    package func values(_ value: SlotValue) -> [SlotValue] {
        let group = value.anyValue as? [String: Any]
        return leaves.map { path, type in
            var current: Any? = group
            for name in path { current = (current as? [String: Any])?[name] }
            guard let value = Unwrapping.value(current) else { return .null }
            return ValueConversion.slotValue(value, type) ?? .null
        }
    }
}
