internal import ArgumentParser

/// The store that a command writes instead of changing the given one.
struct StoreOutputArguments: ParsableArguments {
    @Option(
        name: [.customLong("output"), .customShort("o")], help: ArgumentHelp("The store to write."),
        completion: .file())
    var path: String?

    @Flag(name: .customLong("force"), help: .replacesStore)
    var replaces = false

    /// Throws if a store is to be replaced without an output.
    func requirePath() throws {
        guard !replaces || path != nil else { throw ValidationError("--force needs --output.") }
    }
}
