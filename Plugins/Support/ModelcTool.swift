import Foundation
import PackagePlugin

/// Runs modelc for a command plugin, in the folder of the package.
struct ModelcTool {
    private let context: PluginContext

    init(_ context: PluginContext) {
        self.context = context
    }

    /// Runs a command of modelc and waits for it.
    ///
    /// - Returns: the exit code.
    func run(_ arguments: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = try context.tool(named: "modelc").url
        process.arguments = arguments
        process.currentDirectoryURL = context.package.directoryURL
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Runs a command of modelc as the whole of a plugin: its exit code becomes the plugin's.
    func runAndExit(_ arguments: [String]) throws {
        let code = try run(arguments)
        if code != 0 { exit(code) }
    }
}
