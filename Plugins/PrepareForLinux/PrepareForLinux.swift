import PackagePlugin

/// `swift package prepare-for-linux`: runs `modelc prepare-for-linux` for the package, with the given arguments and the
/// targets found by SwiftPM.
@main struct PrepareForLinux: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        let targets = context.package.targets.compactMap { $0 as? any SourceModuleTarget }.flatMap { target in
            ["--target", "\(target.name)=\(target.directoryURL.path)"]
        }
        try ModelcTool(context).runAndExit(["prepare-for-linux", "."] + targets + arguments)
    }
}
