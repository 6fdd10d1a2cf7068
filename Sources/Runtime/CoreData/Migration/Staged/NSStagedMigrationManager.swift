public import Foundation

/// The stages that migrate a store of any released version of a model to the current one.
///
/// ```swift
/// let manager = NSStagedMigrationManager([NSLightweightMigrationStage([old.versionChecksum])])
/// description.setOption(manager, forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
/// ```
///
/// The options for automatic migration must also be set, as they are by default in a store description. Not
/// thread-safe.
open class NSStagedMigrationManager: NSObject {
    private let list: [NSMigrationStage]

    /// The stages, in order.
    open var stages: [NSMigrationStage] { list }

    /// A container with the store while a stage's handler runs; otherwise `nil`.
    open internal(set) var container: NSPersistentContainer?

    /// Creates a manager with stages, in the order in which they are executed.
    public init(_ stages: [NSMigrationStage]) {
        list = stages
        super.init()
    }
}
