internal import ArgumentParser

/// The help of arguments that several commands have.
extension ArgumentHelp {
    static let moreSources = ArgumentHelp(
        "More Swift files and folders that are compiled with the first.", valueName: "sources")
}
