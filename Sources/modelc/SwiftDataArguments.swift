import ArgumentParser
import ModelcDriver

/// `modelc swiftdata`.
struct SwiftData: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "swiftdata",
        abstract: "Check SwiftData schemas and their stores.",
        subcommands: [SwiftDataDoctor.self])
}

/// `modelc swiftdata doctor`.
struct SwiftDataDoctor: ParsableCommand, DriverCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Tell which version of the sources a store was written by.",
        discussion: """
            SwiftData opens a store only if a version of the schema has its version hashes. Otherwise, a staged migration fails \
            with error 134504, “Cannot use staged migration with an unknown model version”. The command names the version, or \
            the nearest one and the properties that differ.

            EXAMPLES
              modelc swiftdata doctor default.store --sources Sources/Models

            EXIT CODES
              0  A version has the hashes of the store.
              1  No version has them.
              2  The command could not run.
            """
    )

    @Argument(help: "The store.", completion: .file())
    var store: String

    @Option(help: "A Swift file, or a folder of Swift files, that declares the versions.", completion: .file())
    var sources: String

    @Option(help: "The form of the output.")
    var format = OutputFormat.text

    func run(in environment: DriverEnvironment) -> ModelcDriver.ExitCode {
        SwiftDataDoctorCommand(storePath: store, sourcesPath: sources, format: format).run(in: environment)
    }
}
