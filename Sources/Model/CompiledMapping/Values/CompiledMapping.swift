package import ModelSchema

/// A mapping model in the form that Core Data loads: `NSMappingModel` as plain values
/// (Documentation/Formats/MappingModel.md, 2).
package struct CompiledMapping: Hashable, Sendable {
    /// Apple's `NSEntityMappingType`, with its raw values.
    package enum MappingType: Int, Hashable, Sendable, CaseIterable {
        case undefined = 0
        case custom = 1
        case add = 2
        case remove = 3
        case copy = 4
        case transform = 5
    }

    /// An `NSPropertyMapping`.
    package struct PropertyMapping: Hashable, Sendable {
        /// The name of the property in the destination entity.
        package var name: String
        /// The expression for the value; `nil` leaves the property at its default.
        package var value: MappingExpression?
        package var userInfo: [UserInfoEntry]?
        /// The location in a source; `nil` in a compiled mapping model.
        package var origin: ElementOrigin?

        /// Creates a mapping of a property.
        package init(name: String, value: MappingExpression?) {
            self.name = name
            self.value = value
        }
    }

    /// An `NSEntityMapping`.
    package struct EntityMapping: Hashable, Sendable {
        package var name: String
        package var type: MappingType
        /// The name of the source entity; `nil` for a mapping that adds objects.
        package var sourceEntityName: String?
        /// The name of the destination entity; `nil` for a mapping that removes objects.
        package var destinationEntityName: String?
        package var sourceEntityHash: VersionHash?
        package var destinationEntityHash: VersionHash?
        /// The expression for the source objects.
        package var sourceExpression: MappingExpression?
        /// The custom migration policy; `nil` for none.
        package var policyClassName: String?
        package var userInfo: [UserInfoEntry]?
        package var attributeMappings: [PropertyMapping] = []
        package var relationshipMappings: [PropertyMapping] = []
        /// The location in a source; `nil` in a compiled mapping model.
        package var origin: ElementOrigin?

        /// Creates a mapping without properties.
        package init(name: String, type: MappingType) {
            self.name = name
            self.type = type
        }
    }

    /// The entity mappings, in the order in which a migration uses them.
    package var entityMappings: [EntityMapping]

    /// Creates a mapping model.
    package init(entityMappings: [EntityMapping] = []) {
        self.entityMappings = entityMappings
    }
}

extension CompiledMapping.MappingType {
    /// The name of the type in text and JSON.
    package var word: String {
        switch self {
        case .undefined: "undefined"
        case .custom: "custom"
        case .add: "add"
        case .remove: "remove"
        case .copy: "copy"
        case .transform: "transform"
        }
    }
}
