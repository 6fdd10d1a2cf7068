import ArgumentParser
import ModelcDriver

/// `modelc store`, for the help; its arguments are read by `modelc-store`.
struct Store: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make and compare SQLite stores (modelc-store).",
        discussion: """
            Runs modelc-store, a separate executable that contains the Core Data runtime. It is looked for in the environment \
            variable MODELC_STORE, beside modelc, and in PATH; `swift build --product modelc-store` builds it.

            EXAMPLES
              modelc store make Books.xcdatamodeld --version "Books 2" --output books.sqlite
              modelc store diff before.sqlite after.sqlite
              modelc store make --help
            """
    )

    @Argument(parsing: .captureForPassthrough, help: "The arguments of modelc-store.")
    var arguments: [String] = []

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        StoreCommand(arguments: arguments).run(in: environment)
    }
}
