import ArgumentParser
import StoreTools

/// The root command of `modelc-store`, which `modelc store` runs.
struct ModelcStore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "modelc-store",
        abstract: "Makes, compares and migrates SQLite stores of Core Data.",
        discussion: """
            EXAMPLES
              modelc store make Books.xcdatamodeld --version "Books 2" --output books.sqlite
                  Write a store of an earlier version, as test data for a migration.
              modelc store diff before.sqlite after.sqlite
                  Show which objects differ.
              modelc store migrate-test Books.xcdatamodeld
                  Migrate a store of each earlier version, and compare the values.

            EXIT CODES
              0  Done. The stores are equal. All migrations pass.
              1  The stores differ, no legal store of the model exists, or a
                 store cannot be migrated.
              2  The command could not run: wrong arguments, no such file, not a
                 store. Nothing was written.
            """,
        subcommands: [
            StoreMakeCommand.self, StoreDiffCommand.self, StoreMigrateCommand.self, StoreMigrateTestCommand.self,
            SQLCommand.self,
        ]
    )
}
