internal import Foundation
internal import ModelMigration
internal import RuntimeSupport

extension NSPropertyDescription: Renameable {}

extension CompositeMatch where Element == NSAttributeDescription {
    /// Pairs the elements of a composite attribute of two models.
    init(_ source: NSCompositeAttributeDescription, _ destination: NSCompositeAttributeDescription) {
        self.init(
            source: source, destination: destination, isUnchanged: source.isDeclaredUnchanged(as: destination),
            sourceParts: Self.parts, destinationParts: Self.parts)
    }

    private static func parts(of element: NSAttributeDescription) -> [NSAttributeDescription]? {
        (element as? NSCompositeAttributeDescription)?.elements
    }
}

extension NSPropertyDescription {
    /// Returns whether the entity that declares the property is the same in another version.
    fileprivate func isDeclaredUnchanged(as other: NSPropertyDescription) -> Bool {
        guard let owner, let otherOwner = other.owner else { return false }
        return owner.name == otherOwner.name && owner.versionHash == otherOwner.versionHash
    }
}

/// Converts the values of a composite attribute to another version of the attribute, element by element.
struct CompositeConversion {
    private struct Part {
        let element: NSAttributeDescription
        /// The key in the old value; `nil` for a new element.
        let key: String?
        /// The value of rows without one, if the element is new or became required.
        let filler: Any?
        /// The conversion of the elements of an element that is composite itself.
        let inner: CompositeConversion?
    }

    private let composite: NSCompositeAttributeDescription
    private let parts: [Part]

    /// - Parameter old: The attribute that the values come from; `nil` for values with the names of the new version.
    init(_ composite: NSCompositeAttributeDescription, from old: NSCompositeAttributeDescription?) {
        self.init(composite, from: old, isUnchanged: old?.isDeclaredUnchanged(as: composite) ?? false)
    }

    private init(
        _ composite: NSCompositeAttributeDescription, from old: NSCompositeAttributeDescription?, isUnchanged: Bool
    ) {
        self.composite = composite
        guard let old else {
            parts = composite.elements.map { element in
                let inner = (element as? NSCompositeAttributeDescription).map { CompositeConversion($0, from: nil) }
                return Part(element: element, key: element.name, filler: nil, inner: inner)
            }
            return
        }
        let match = ElementMatch(source: old.elements, destination: composite.elements) { _, _ in isUnchanged }
        var sources: [String: NSAttributeDescription] = [:]
        for pair in match.pairs { sources[pair.destination.name] = pair.source }
        parts = composite.elements.map { element in
            var source = sources[element.name]
            // As in the pairing of models, a group and a plain element are different elements.
            if source is NSCompositeAttributeDescription != (element is NSCompositeAttributeDescription) {
                source = nil
            }
            guard let group = element as? NSCompositeAttributeDescription else {
                let isFilled = source.map { $0.isOptional && !element.isOptional } ?? true
                return Part(
                    element: element, key: source?.name, filler: isFilled ? element.defaultValue : nil, inner: nil)
            }
            let inner = CompositeConversion(
                group, from: source as? NSCompositeAttributeDescription ?? NSCompositeAttributeDescription(),
                isUnchanged: isUnchanged)
            return Part(element: element, key: source?.name, filler: nil, inner: inner)
        }
    }

    /// Returns the converted value. Elements that the attribute no longer has are left out.
    func dictionary(_ value: Any) throws(MigrationValue.UnsupportedValue) -> NSDictionary {
        guard let given = value as? [String: Any] else { throw MigrationValue.mismatch(value, composite) }
        var result: [String: Any] = [:]
        for part in parts {
            let value = part.key.flatMap { given[$0] }.flatMap { Unwrapping.value($0) }
            if let inner = part.inner {
                // A group without values is nil, and stays nil unless it is required.
                guard value != nil || !part.element.isOptional else { continue }
                let converted = try inner.dictionary(value ?? [String: Any]())
                if value != nil || converted.count > 0 { result[part.element.name] = converted }
            } else if let value = value ?? part.filler {
                result[part.element.name] = try MigrationValue.slotValue(value, part.element).anyValue
            }
        }
        return NSDictionary(dictionary: result)
    }
}
