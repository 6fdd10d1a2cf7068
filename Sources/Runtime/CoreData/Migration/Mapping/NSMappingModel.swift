package import CompiledMapping
public import Foundation
internal import ModelMigration
internal import ModelSchema
internal import RuntimeSupport

/// The rules by which objects of one version of a model are converted to objects of another version.
///
/// ```swift
/// let mapping = try NSMappingModel(from: [.main], forSourceModel: old, destinationModel: new)
///     ?? NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new)
/// ```
///
/// Not thread-safe. Must not change while a migration uses it.
open class NSMappingModel: NSObject {
    /// The entity mappings, in the order in which a migration executes them.
    // Apple's type.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    open var entityMappings: [NSEntityMapping]!

    /// The entity mappings by name; of several with the same name, the last.
    open var entityMappingsByName: [String: NSEntityMapping] {
        Dictionary((entityMappings ?? []).map { ($0.name ?? "", $0) }) { _, last in last }
    }

    /// Creates a mapping model without entity mappings.
    public override init() {
        entityMappings = []
        super.init()
    }

    /// Creates a mapping model with the content of a compiled one.
    package convenience init(_ mapping: CompiledMapping) {
        self.init()
        load(mapping)
    }

    /// Loads a compiled mapping model.
    ///
    /// - Parameter url: A `.cdm` file, as Apple's `mapc` or modelc writes it.
    /// - Returns: The mapping model, or `nil` if it cannot be read; the reason is printed on the standard error stream.
    public convenience init?(contentsOf url: URL?) {
        guard let url else { return nil }
        do throws(MappingModelFile.Failure) {
            let mapping = try MappingModelFile.read(url)
            self.init()
            load(mapping)
        } catch {
            Log.error("Failed to load the mapping model at \(error)")
            return nil
        }
    }

    /// Loads the compiled mapping model for a migration between two versions, found by version hashes.
    ///
    /// Each entity in the mapping model must be in the respective model with the same version hash. Of several mapping
    /// models, the first by path with a mapping for each concrete entity of the destination is used, or else the first.
    ///
    /// - Parameters:
    ///   - bundles: The bundles to search; `nil` for the main bundle, which includes the resource bundles next to the
    ///     program.
    ///   - sourceModel: The model of the store.
    ///   - destinationModel: The model that the store is migrated to.
    /// - Returns: The mapping model, or `nil` if there is none.
    public convenience init?(
        from bundles: [Bundle]?, forSourceModel sourceModel: NSManagedObjectModel?,
        destinationModel: NSManagedObjectModel?
    ) {
        guard let sourceModel, let destinationModel,
            let mapping = MappingModelLocator.mapping(
                in: bundles, source: sourceModel, destination: destinationModel)
        else { return nil }
        self.init()
        load(mapping)
    }

    /// Returns the mapping model that lightweight migration would use.
    ///
    /// - Throws: An error of Cocoa's domain with the code 134190 that names the entity, the property and the reason if
    ///   a change cannot be inferred.
    open class func inferredMappingModel(
        forSourceModel sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel
    ) throws -> NSMappingModel {
        try MappingModelInference(from: sourceModel, to: destinationModel).mappingModel()
    }

    /// Loads the content of a compiled mapping model.
    private final func load(_ mapping: CompiledMapping) {
        entityMappings = mapping.entityMappings.map { NSEntityMapping($0) }
    }

    /// Returns whether the other is a mapping model with equal entity mappings in the same order.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSMappingModel else { return false }
        return self === other || (entityMappings ?? []) == (other.entityMappings ?? [])
    }

    /// The hash of the names of the entity mappings.
    open override var hash: Int { (entityMappings ?? []).map { $0.name ?? "" }.hashValue }

    /// The entity mappings, for debugging.
    open override var description: String { "NSMappingModel: \(entityMappings ?? [])" }
}

extension NSEntityMapping {
    /// Creates a mapping of a compiled one.
    fileprivate convenience init(_ mapping: CompiledMapping.EntityMapping) {
        self.init()
        name = mapping.name
        mappingType = NSEntityMappingType(rawValue: UInt(mapping.type.rawValue)) ?? .undefinedEntityMappingType
        sourceEntityName = mapping.sourceEntityName
        destinationEntityName = mapping.destinationEntityName
        sourceEntityVersionHash = mapping.sourceEntityHash.map { Data($0.bytes) }
        destinationEntityVersionHash = mapping.destinationEntityHash.map { Data($0.bytes) }
        sourceExpression = mapping.sourceExpression.map(MappingModelFile.expression)
        entityMigrationPolicyClassName = mapping.policyClassName
        userInfo = MappingModelFile.userInfo(mapping.userInfo)
        attributeMappings = mapping.attributeMappings.map { NSPropertyMapping($0) }
        relationshipMappings = mapping.relationshipMappings.map { NSPropertyMapping($0) }
    }
}

extension NSPropertyMapping {
    /// Creates a mapping of a compiled one.
    fileprivate convenience init(_ mapping: CompiledMapping.PropertyMapping) {
        self.init()
        name = mapping.name
        valueExpression = mapping.value.map(MappingModelFile.expression)
        userInfo = MappingModelFile.userInfo(mapping.userInfo)
    }
}
