package import ArgumentParser

/// `modelc store`: runs `modelc-store`, which contains the Core Data runtime and is built separately.
package struct StoreCommand: DriverCommand {
    package static let configuration = CommandConfiguration(
        commandName: "store", abstract: "Check, repair, make, copy, compare and migrate stores (modelc-store).",
        discussion: """
            Runs modelc-store, a separate executable that contains the Core Data runtime. It is looked for in the environment \
            variable MODELC_STORE, beside modelc, and in PATH; `swift build --product modelc-store` builds it.

            EXAMPLES
              modelc store check books.sqlite
              modelc store repair books.sqlite --output fixed.sqlite
              modelc store compact books.sqlite --in-place --purge-history 30
              modelc store recover damaged.sqlite --output saved.sqlite
              modelc store info books.sqlite
              modelc store make Books.xcdatamodeld --version "Books 2" --output books.sqlite
              modelc store diff before.sqlite after.sqlite
              modelc store copy books.sqlite postgresql://db/books
              modelc store migrate books.sqlite --to Books.xcdatamodeld --dry-run
              modelc store migrate-test Books.xcdatamodeld
              modelc store make --help
            """
    )

    @Argument(parsing: .captureForPassthrough, help: "The arguments of modelc-store.")
    var arguments: [String] = []

    package init() {}
}
