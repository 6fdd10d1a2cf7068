// A start, written by `modelc migrate scaffold`. modelc does not change it again.

import CoreData

/// The staged migration of “Books” from “Books” to “Books_3”.
///
/// Set it with `NSPersistentStoreDescription.setOption(_:forKey:)` under
/// `NSPersistentStoreStagedMigrationManagerOptionKey`, and leave automatic migration and inferred mapping models on.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
enum BooksMigration {
    /// Makes the manager.
    ///
    /// - Parameter bundle: The bundle that holds the compiled model.
    static func manager(in bundle: Bundle) -> NSStagedMigrationManager {
        let stage1 = NSLightweightMigrationStage([
            "NyYOfiGG1lL1sNnUJBVKP7QV40FbUIAYy9dNEgBOHPc=",  // “Books”
        ])
        stage1.label = "Books"

        // TODO: Core Data migrates from “Books_2” to “Books_3” between the two handlers, and that
        // migration must be lightweight too. It is not: divide the change with a version in between
        // (`modelc new-version`) that has the old and the new elements, and move the values in a handler.
        // - “Book.isbn” is new and required, and has no default value for existing rows (a store without rows of the entity may migrate)
        //   Give it a default value, or make it optional.
        // - “Shelf.label” and “caption” both stand for “label” of the earlier version
        //   Remove the renaming identifier of one of them.
        // - “Shelf.books” became to-one; a row may have several destinations
        //   Keep it to-many, or choose the destination in a custom migration stage or a mapping model.
        // - “Writer.name” changed its type from String to Binary, for which there is no conversion
        //   Add an attribute of the new type beside the old one and convert the values, in a custom migration stage or with a mapping model.
        let stage2 = NSCustomMigrationStage(
            migratingFrom: model(
                "Books_2",
                versionChecksum: "wAX2iAFSSZjQXZZQEgUq7qs2PwJ+0K3KUysRMxmwNz0=",
                in: bundle),
            to: model(
                "Books_3",
                versionChecksum: "ESJxMGR8wA5zwrfSaf35zGDUtEcw1j5ytUWfg2+KXyA=",
                in: bundle))
        stage2.label = "Books_2 to Books_3"
        stage2.willMigrateHandler = { manager, stage in
            // The store still has the model “Books_2”. `manager.container` opens it.
        }
        stage2.didMigrateHandler = { manager, stage in
            // The store has the model “Books_3”. `manager.container` opens it.
        }

        return NSStagedMigrationManager([stage1, stage2])
    }

    private static func model(
        _ name: String, versionChecksum: String, in bundle: Bundle
    ) -> NSManagedObjectModelReference {
        guard let url = bundle.url(forResource: name, withExtension: "mom", subdirectory: "Books.momd") else {
            preconditionFailure("the bundle has no model “\(name)”")
        }
        return NSManagedObjectModelReference(fileURL: url, versionChecksum: versionChecksum)
    }
}
