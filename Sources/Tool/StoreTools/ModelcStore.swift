package import ArgumentParser
internal import CSQLite3
internal import ModelcDriver

/// The root command of `modelc-store`, which `modelc store` runs.
package struct ModelcStore: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "modelc-store",
        abstract: "Checks, repairs, makes, compares and migrates SQLite stores of Core Data.",
        discussion: """
            EXAMPLES
              modelc store check books.sqlite
                  Find damage, dangling references and invalid values.
              modelc store repair books.sqlite --output fixed.sqlite
                  Repair them in a copy, and print every change.
              modelc store compact books.sqlite --in-place --purge-history 30
                  Purge history and free disk space.
              modelc store recover damaged.sqlite --output saved.sqlite
                  Save what can be read.
              modelc store info books.sqlite
                  Show entities, sizes, history and model.
              modelc store make Books.xcdatamodeld --version "Books 2" --output books.sqlite
                  Write a store of an earlier version, as test data for a migration.
              modelc store diff before.sqlite after.sqlite
                  Show which objects differ.
              modelc store copy books.sqlite postgresql://db/books
                  Copy a store into a PostgreSQL database (modelc-postgresql).
              modelc store migrate-test Books.xcdatamodeld
                  Migrate a store of each earlier version, and compare the values.

            EXIT CODES
              0  Done. The stores are equal or have no errors. All migrations
                 pass.
              1  The stores differ or have errors, no legal store of the model
                 exists, or a store cannot be migrated.
              2  The command could not run: wrong arguments, no such file, not a
                 store. Nothing was written.
            """,
        subcommands: [
            StoreCheckCommand.self, StoreRepairCommand.self, StoreCompactCommand.self, StoreRecoverCommand.self,
            StoreInfoCommand.self, StoreExportCommand.self, StoreImportCommand.self, StoreMakeCommand.self,
            StoreDiffCommand.self, StoreCopyCommand<NoDatabaseClient>.self,
            StoreMigrateCommand.self, StoreMigrateTestCommand.self,
            SQLCommand<NoDatabaseClient>.self,
        ]
    )

    package init() {}

    /// Runs the program in the environment of the process, and ends the process.
    ///
    /// - Parameter call: The words of the process's command line.
    package static func runProcess(_ call: [String]) -> Never {
        // Migrations run on all cores; nothing here asks SQLite how much memory it uses.
        _ = modelc_sqlite3_disable_memory_statistics()
        DriverProcess.run("modelc-store") { runProgram(Array(call.dropFirst()), in: $0) }
    }
}
