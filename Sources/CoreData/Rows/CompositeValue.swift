internal import Foundation

/// The values of composite attributes: dictionaries whose keys are the names of the elements.
enum CompositeValue {
    /// Returns the dictionary with each value converted to its element's type, omitting nil values. Returns nil if a
    /// key is not an element's name or a value has the wrong class.
    static func converted(_ value: Any, _ elements: [NSAttributeDescription]) -> NSDictionary? {
        guard let given = value as? [String: Any] else { return nil }
        var result: [String: Any] = [:]
        for (key, value) in given {
            guard let element = elements.first(where: { $0.name == key }) else { return nil }
            guard let value = ValueConversion.unwrapped(value) else { continue }
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
    static func elements(
        of composite: NSCompositeAttributeDescription
    ) -> [(path: [String], element: NSAttributeDescription)] {
        composite.elements.flatMap { element in
            guard let inner = element as? NSCompositeAttributeDescription else { return [([element.name], element)] }
            return elements(of: inner).map { ([element.name] + $0.path, $0.element) }
        }
    }

    /// Returns the elements, including those of nested groups, with their key paths and values.
    static func leaves(
        _ value: Any?, _ composite: NSCompositeAttributeDescription, _ prefix: String
    ) -> [(path: String, element: NSAttributeDescription, value: Any?)] {
        let values = value as? [String: Any]
        return composite.elements.flatMap { element in
            let (path, value) = ("\(prefix).\(element.name)", values?[element.name])
            guard let inner = element as? NSCompositeAttributeDescription else { return [(path, element, value)] }
            return leaves(value, inner, path)
        }
    }
}
