public import Foundation

/// The base class of the stages of a staged migration: `NSLightweightMigrationStage` and `NSCustomMigrationStage`.
///
/// ```swift
/// let stages: [NSMigrationStage] = [NSLightweightMigrationStage([model.versionChecksum])]
/// let manager = NSStagedMigrationManager(stages)
/// ```
open class NSMigrationStage: NSObject {
    /// A name, for debugging and messages.
    open var label: String?

    /// Creates a stage.
    public override init() {
        super.init()
    }

    /// The label, for debugging.
    open override var description: String { "\(type(of: self)): \(label ?? "(null)")" }
}

/// Versions of a model between which lightweight migration is possible.
///
/// A store of one of the versions is migrated in one step to the version with which the next custom stage begins, or
/// else to the current one.
///
/// ```swift
/// let stage = NSLightweightMigrationStage([old.versionChecksum, new.versionChecksum])
/// ```
open class NSLightweightMigrationStage: NSMigrationStage {
    private let checksums: [String]

    /// The checksums of the versions.
    open var versionChecksums: [String] { checksums }

    /// Creates a stage for versions.
    public init(_ versionChecksums: [String]) {
        checksums = versionChecksums
        super.init()
    }
}

/// A migration from one version of a model to the next, with code before and after it.
///
/// ```swift
/// let stage = NSCustomMigrationStage(
///     migratingFrom: NSManagedObjectModelReference(model: old, versionChecksum: old.versionChecksum),
///     to: NSManagedObjectModelReference(model: new, versionChecksum: new.versionChecksum))
/// stage.willMigrateHandler = { manager, _ in
///     guard let context = manager.container?.newBackgroundContext() else { return }
///     try context.performAndWait { try context.save() }
/// }
/// ```
open class NSCustomMigrationStage: NSMigrationStage {
    /// The version with which the stage begins.
    public let currentModel: NSManagedObjectModelReference
    /// The version to which the stage migrates.
    public let nextModel: NSManagedObjectModelReference
    /// Called while the store still has the version of `currentModel`. An error ends the migration.
    open var willMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?
    /// Called once the store has the version of `nextModel`. An error ends the migration.
    open var didMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?

    /// Creates a stage between two versions.
    public init(
        migratingFrom currentModel: NSManagedObjectModelReference, to nextModel: NSManagedObjectModelReference
    ) {
        self.currentModel = currentModel
        self.nextModel = nextModel
        super.init()
    }
}
