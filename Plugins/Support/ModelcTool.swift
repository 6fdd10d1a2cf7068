import Foundation
import PackagePlugin

/// Runs modelc for a command plugin, in the package's folder.
struct ModelcTool {
    private let context: PluginContext

    init(_ context: PluginContext) {
        self.context = context
    }

    /// Runs a command of modelc and waits until it exits.
    ///
    /// - Returns: The exit code.
    func run(_ arguments: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = try context.tool(named: "modelc").url
        process.arguments = arguments
        process.currentDirectoryURL = context.package.directoryURL
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Runs a command of modelc and, if it fails, exits the plugin with its exit code.
    func runAndExit(_ arguments: [String]) throws {
        let code = try run(arguments)
        if code != 0 { exit(code) }
    }
}
