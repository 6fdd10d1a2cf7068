package import CompiledMapping
package import ModelSchema

/// The contents of an `.xcmappingmodel`, before anything is computed: omitted names have defaults, and omitted
/// expressions are automatic (Documentation/Formats/MappingModel.md, 1.2).
package struct MappingSource: Hashable, Sendable {
    /// The copy of a model in a mapping model.
    package struct ModelCopy: Hashable, Sendable {
        /// The path of the `.xcdatamodel`, relative to the project; `nil` if the file does not state it.
        package var path: String?
        /// The copy, an archive of Xcode's old model editor; `nil` if the file has none.
        package var data: [UInt8]?
        /// The location in the file.
        package var origin: ElementOrigin?

        /// Creates a copy of a model.
        package init(path: String? = nil, data: [UInt8]? = nil, origin: ElementOrigin? = nil) {
            self.path = path
            self.data = data
            self.origin = origin
        }
    }

    /// The mapping of an attribute or a relationship.
    package struct PropertyMapping: Hashable, Sendable {
        /// The name of the property in the destination entity.
        package var name: String
        /// The expression that the user wrote; `nil` for the automatic one.
        package var value: MappingExpression?
        /// The key path that the editor offers for relationships, with `$source`; `nil` for none.
        package var sourceKeyPath: String?
        /// The entity mapping that the editor offers for relationships; `nil` for none.
        package var sourceMappingName: String?
        package var userInfo: [UserInfoEntry]?
        /// The location in the file.
        package var origin: ElementOrigin?

        /// Creates an automatic mapping of a property.
        package init(name: String, value: MappingExpression? = nil) {
            self.name = name
            self.value = value
        }
    }

    package struct EntityMapping: Hashable, Sendable {
        /// The name that the user gave it; `nil` for the default one.
        package var name: String?
        /// The position among the entity mappings.
        package var number: Int
        /// The source entity; `nil` for a mapping that adds objects.
        package var sourceName: String?
        /// The destination entity; `nil` for a mapping that removes objects.
        package var destinationName: String?
        /// The custom migration policy; `nil` for none.
        package var policyClassName: String?
        /// The predicate that chooses the source objects; `nil` for all.
        package var sourceFilter: String?
        /// The expression for the source objects; `nil` for the automatic one.
        package var sourceExpression: MappingExpression?
        package var userInfo: [UserInfoEntry]?
        package var attributeMappings: [PropertyMapping] = []
        package var relationshipMappings: [PropertyMapping] = []
        /// The location in the file.
        package var origin: ElementOrigin?

        /// Creates a mapping from one entity to another.
        package init(number: Int, sourceName: String?, destinationName: String?) {
            self.number = number
            self.sourceName = sourceName
            self.destinationName = destinationName
        }

        /// The name that the user gave it, or the default one: `SourceToDestination`, the destination of a mapping
        /// without a source, or `Mapping` (Documentation/Formats/MappingModel.md, 2.2).
        package var effectiveName: String {
            if let name { return name }
            return switch (sourceName, destinationName) {
            case (let source?, let destination?): "\(source)To\(destination)"
            case (nil, let destination?): destination
            // There is no sample of the default name of a mapping that removes objects.
            case (let source?, nil): source
            case (nil, nil): "Mapping"
            }
        }
    }

    /// The name of the mapping model, which the file itself does not contain.
    package var name: String
    package var sourceModel: ModelCopy
    package var destinationModel: ModelCopy
    /// The entity mappings, in the order of the file's list. The compiler sorts them by number.
    package var entityMappings: [EntityMapping]

    /// Creates a mapping model without mappings.
    package init(name: String, sourceModel: ModelCopy = ModelCopy(), destinationModel: ModelCopy = ModelCopy()) {
        self.name = name
        self.sourceModel = sourceModel
        self.destinationModel = destinationModel
        entityMappings = []
    }
}
