internal import Foundation
internal import ModelMigration

/// The decision about a store of another version of the model: whether it is migrated, from which model, and how.
struct StoreMigration {
    /// The store's file.
    let url: URL
    /// The type of the store.
    let storeType: String
    /// The configuration whose entities the store holds; `nil` for all.
    let configuration: String?
    /// The options that the store is added with.
    let options: [AnyHashable: Any]
    /// The model that the store was made with.
    let source: NSManagedObjectModel
    /// The model of the coordinator.
    let destination: NSManagedObjectModel
}
