// A start, written by `modelc migrate scaffold`. modelc does not change it again.

import CoreData

/// The staged migration of “Stages” from “S1” to “S3”.
///
/// Set it with `NSPersistentStoreDescription.setOption(_:forKey:)` under
/// `NSPersistentStoreStagedMigrationManagerOptionKey`, and leave automatic migration and inferred mapping models on.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
enum StagesMigration {
    /// Makes the manager.
    ///
    /// - Parameter bundle: The bundle that holds the compiled model.
    static func manager(in bundle: Bundle) -> NSStagedMigrationManager {
        // This step is lightweight. It is a separate stage because no lightweight migration leads from all earlier
        // versions past it.
        let stage1 = NSCustomMigrationStage(
            migratingFrom: model(
                "S1",
                versionChecksum: "xm4Cws4h57c36XVZF2faoenFcBjbFa/tRjZ27pIZLUo=",
                in: bundle),
            to: model(
                "S2",
                versionChecksum: "cofNruVzZPxjPIvHi+2SsCfyLypah1m0qLCtIjseuw8=",
                in: bundle))
        stage1.label = "S1 to S2"
        stage1.willMigrateHandler = { manager, stage in
            // The store still has the model “S1”. `manager.container` opens it.
        }
        stage1.didMigrateHandler = { manager, stage in
            // The store has the model “S2”. `manager.container` opens it.
        }

        let stage2 = NSLightweightMigrationStage([
            "ZXQXc/NspscMUFqvnqx6QjhnvlIVAy7Yq9qIE3QKTrk=",  // “S3”
        ])
        stage2.label = "S3"

        return NSStagedMigrationManager([stage1, stage2])
    }

    private static func model(
        _ name: String, versionChecksum: String, in bundle: Bundle
    ) -> NSManagedObjectModelReference {
        guard let url = bundle.url(forResource: name, withExtension: "mom", subdirectory: "Stages.momd") else {
            preconditionFailure("the bundle has no model “\(name)”")
        }
        return NSManagedObjectModelReference(fileURL: url, versionChecksum: versionChecksum)
    }
}
