package import ModelSchema

/// A change that lightweight migration cannot make, or that it makes only if the data allows it.
package struct MigrationObstacle: Hashable, Sendable {
    /// The certainty about the behavior of Apple's framework.
    package enum Certainty: String, Hashable, Sendable {
        /// Documented by Apple, or observed.
        case known
        /// The plain reading of the documentation, but not observed.
        case likely
        /// Neither documented nor observed: the safe assumption is that it fails.
        case unknown
    }

    /// The kind of obstacle.
    package enum Kind: Hashable, Sendable {
        /// The types of an attribute have no conversion.
        case incompatibleTypes(old: AttributeType, new: AttributeType)
        /// A required attribute is new and has no default value.
        case requiredWithoutDefault
        /// An optional attribute became required and has no default value.
        case becameRequired
        /// A to-many relationship became a to-one relationship.
        case becameToOne
        /// Entities without a common ancestor in the source have one in the destination.
        case mergedHierarchies(roots: [String])
        /// Two elements identify the same element of the source.
        case ambiguousIdentifier(identifier: String, other: String)
        /// A concrete entity became abstract.
        case becameAbstract
        /// The version hash of the entity cannot be computed.
        case noVersionHash
    }

    /// The kind of obstacle.
    package var kind: Kind
    package var certainty: Certainty
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

    /// The problem, as the end of a sentence that begins with the element.
    package var reason: String {
        switch kind {
        case .incompatibleTypes(let old, let new):
            "changed its type from \(old.xmlValue) to \(new.xmlValue), for which there is no conversion"
        case .requiredWithoutDefault:
            "is new and required, and has no default value for existing rows (a store without rows of the entity may migrate)"
        case .becameRequired:
            "became required and has no default value for rows without a value (a store without such rows may migrate)"
        case .becameToOne: "became to-one; a row may have several destinations"
        case .mergedHierarchies(let roots):
            "joins entities that had no common parent: \(roots.map { "“\($0)”" }.joined(separator: ", "))"
        case .ambiguousIdentifier(let identifier, let other):
            "and “\(other)” both stand for “\(identifier)” of the earlier version"
        case .becameAbstract: "became abstract, so its rows have no entity to belong to"
        case .noVersionHash: "has no version hash"
        }
    }

    /// What to do about it.
    package var help: String {
        switch kind {
        case .incompatibleTypes:
            "Add an attribute of the new type beside the old one and convert the values, in a custom migration stage or with "
                + "a mapping model."
        case .requiredWithoutDefault, .becameRequired: "Give it a default value, or make it optional."
        case .becameToOne: "Keep it to-many, or choose the destination in a custom migration stage or a mapping model."
        case .mergedHierarchies: "Keep the hierarchies apart, or write a mapping model."
        case .ambiguousIdentifier: "Remove the renaming identifier of one of them."
        case .becameAbstract: "Keep it concrete, or move its objects to a subentity with a mapping model."
        case .noVersionHash: "Correct the errors of the model first."
        }
    }

    /// The code of the error that Core Data reports, or `nil` if it is unknown.
    package var errorCode: Int? {
        switch kind {
        case .incompatibleTypes, .ambiguousIdentifier: 134_190
        default: nil
        }
    }
}
