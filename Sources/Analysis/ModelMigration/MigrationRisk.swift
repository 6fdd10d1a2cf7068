package import ModelSchema

/// A change that lightweight migration makes, but whose success depends on the rows of the store.
package struct MigrationRisk: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// A uniqueness constraint is new: rows with equal values stop the migration with error 134111.
        case newConstraint(String)
        /// The new number type is smaller: larger values do not fit.
        case narrowerType(old: AttributeType, new: AttributeType)
        /// A to-one relationship became required, or is new and required: the next save of a row without a destination
        /// fails.
        case requiredRelationship
        /// A to-many relationship with a minimum count became required, or is new and required: the next save of a row
        /// with fewer destinations fails.
        case requiredDestinations(minimum: Int)
        /// The counts of a relationship are stricter: the next save of a row that violates them fails.
        case stricterCount
        /// The relationship's new destination does not include its old destinations: its old values are lost.
        case otherDestination(old: String, new: String)
        /// An attribute became a relationship, or the other way around: its old values are lost.
        case otherKind(old: Property.Kind, new: Property.Kind)
        /// An element of a composite attribute is not part of its type any more: its old values are lost.
        case removedElement
        /// An element of a composite attribute has another name.
        case renamedElement
        /// A plain attribute became derived: its old values are replaced.
        case becameDerived
        /// Several objects could have the same destination, of which only one keeps it.
        case exclusiveMembers
        /// The relationship and its new inverse had separate links: where they differ, those of the inverse are kept.
        case separateInverse(name: String)
        /// The renaming identifier is the name of an element that has a renaming identifier itself: the element is a
        /// new one, and the rows or values of the other one are lost.
        case brokenChain(name: String, identifier: String)

        /// Whether migration drops values of the property, if a store has such values.
        package var dropsValues: Bool {
            switch self {
            case .otherDestination, .otherKind, .removedElement, .becameDerived, .exclusiveMembers, .separateInverse,
                .brokenChain:
                true
            default: false
            }
        }
    }

    /// The kind of risk.
    package var kind: Kind
    /// The entity in the destination.
    package var entity: String
    /// The entity's name in the source, or `nil` if it is new.
    package var sourceEntity: String?
    /// The property in the destination, or `nil` for the entity as a whole.
    package var property: String?
    /// The location in the destination.
    package var origin: ElementOrigin?

    /// The element's name in messages.
    package var element: String { property.map { "\(entity).\($0)" } ?? entity }

    /// What can go wrong, as the end of a sentence that begins with the element.
    package var reason: String {
        switch kind {
        case .newConstraint(let constraint):
            "has a new uniqueness constraint \(constraint); rows with equal values stop the migration (134111)"
        case .narrowerType(let old, let new):
            "changed its type from \(old.xmlValue) to \(new.xmlValue), which cannot hold all values"
        case .requiredRelationship: "is required; saving a row without a destination fails (1570)"
        case .requiredDestinations(let minimum):
            "is required; saving a row with fewer than \(minimum) destination\(minimum == 1 ? "" : "s") fails (1580)"
        case .stricterCount: "has stricter counts; saving a row that does not meet them fails"
        case .otherDestination(let old, let new):
            "has the destination “\(new)” instead of “\(old)”, so it is empty after the migration (undocumented)"
        case .removedElement:
            "is no longer an element of its composite type, or has another name without a renaming identifier, so its values "
                + "are lost"
        case .renamedElement:
            "is renamed by the renaming identifier of an element, which Apple does not document; test it on Apple's platforms"
        case .becameDerived: "is derived now, so its values are replaced by those of its expression"
        case .exclusiveMembers:
            "can no longer be shared by several objects: only one of them keeps the link, and the others lose it"
        case .separateInverse(let name):
            "has the new inverse “\(name)”, which had separate links; an object keeps the link of “\(name)” if the two differ"
        case .brokenChain(let name, let identifier):
            "has the renaming identifier “\(name)”, but “\(name)” has the identifier “\(identifier)” in the earlier version; use "
                + "“\(identifier)” in all later versions, or the values of “\(name)” are lost"
        case .otherKind(let old, let new):
            "was \(old.article) and is now \(new.article), so it is empty after the migration (undocumented)"
        }
    }
}

extension Property.Kind {
    fileprivate var article: String {
        switch self {
        case .attribute: "an attribute"
        case .relationship: "a relationship"
        case .fetchedProperty: "a fetched property"
        }
    }
}
