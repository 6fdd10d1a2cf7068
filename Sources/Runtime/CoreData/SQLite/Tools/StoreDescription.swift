internal import CompiledModel
internal import Foundation

/// What a new store of a model says about itself, for tools that repair stores.
package enum StoreDescription {
    /// Returns the property list of the metadata, with the hashes and identifiers of the model; `nil` if they have no
    /// such form.
    package static func metadata(of model: NSManagedObjectModel) -> [UInt8]? {
        let values = StoreMetadata.metadata([:], noting: model, nil)
        let metadata = try? SQLiteMetadata(values, uuid: "")
        return metadata.flatMap { PropertyListValue(foundation: $0.values) }?.binaryBytes()
    }

    /// The statement that creates the table of the metadata.
    package static let metadataTable = StoreSchema.metadataTable

    /// Returns the content of `Z_MODELCACHE`; `nil` if the model has no compiled form.
    package static func modelCache(of model: NSManagedObjectModel) -> [UInt8]? { StoredModel.content(of: model) }
}
