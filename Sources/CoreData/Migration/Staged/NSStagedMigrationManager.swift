public import Foundation

/// The stages that lead a store of any released version of a model to the current one.
///
/// ```swift
/// let manager = NSStagedMigrationManager([NSLightweightMigrationStage([old.versionChecksum])])
/// description.setOption(manager, forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
/// ```
///
/// The options for automatic migration must be on, too, as they are in a store description. Not thread-safe.
open class NSStagedMigrationManager: NSObject {
    private let list: [NSMigrationStage]

    /// The stages, in their order.
    open var stages: [NSMigrationStage] { list }

    /// A container with the store while a handler of a stage runs; `nil` at any other time.
    open internal(set) var container: NSPersistentContainer?

    /// Creates a manager with stages, in the order in which they are executed.
    public init(_ stages: [NSMigrationStage]) {
        list = stages
        super.init()
    }
}
