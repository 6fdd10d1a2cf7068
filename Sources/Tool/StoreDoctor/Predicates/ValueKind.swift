package import CoreData

/// The kind of value of an expression in a predicate.
package indirect enum ValueKind: Equatable {
    case null
    case number
    case text
    case date
    case uuid
    case uri
    case data
    /// The values of a transformable attribute, which can only be compared with nil.
    case transformable
    /// The elements of a composite attribute.
    case composite(NSCompositeAttributeDescription)
    case object(NSEntityDescription)
    case collection(ValueKind)

    /// Creates the kind of an attribute's values; `nil` if predicates cannot use them.
    package init?(_ attribute: NSAttributeDescription) {
        switch attribute.attributeType {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .decimalAttributeType,
            .doubleAttributeType, .floatAttributeType, .booleanAttributeType:
            self = .number
        case .stringAttributeType: self = .text
        case .dateAttributeType: self = .date
        case .UUIDAttributeType: self = .uuid
        case .URIAttributeType: self = .uri
        case .binaryDataAttributeType: self = .data
        case .compositeAttributeType:
            guard let composite = attribute as? NSCompositeAttributeDescription else { return nil }
            self = .composite(composite)
        case .transformableAttributeType: self = .transformable
        case .undefinedAttributeType, .objectIDAttributeType: return nil
        }
    }

    /// The name of the kind in messages.
    package var name: String {
        switch self {
        case .null: "nil"
        case .number: "a number"
        case .text: "text"
        case .date: "a date"
        case .uuid: "a UUID"
        case .uri: "a URI"
        case .data: "bytes"
        case .transformable: "a transformable value"
        case .composite: "a composite value"
        case .object(let entity): "an object of “\(entity.name ?? "")”"
        case .collection: "several values"
        }
    }

    /// Returns whether values of two kinds can be equal.
    package func isComparable(with other: ValueKind) -> Bool {
        switch (self, other) {
        case (.null, _), (_, .null), (.object, .object): true
        case (.transformable, _): false
        default: self == other
        }
    }

    /// Whether values of the kind have an order.
    package var isOrdered: Bool { [.null, .number, .text, .date].contains(self) }
}
