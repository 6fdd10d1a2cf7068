import PackagePlugin

/// `swift package lint-model`: `modelc lint` for all models below the package's folder, with the arguments that are given.
@main struct LintModel: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        try ModelcTool(context).runAndExit(["lint"] + arguments)
    }
}
