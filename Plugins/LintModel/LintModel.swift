import PackagePlugin

/// `swift package lint-model`: runs `modelc lint`, with the given arguments, for all models in the package's folder.
@main struct LintModel: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        try ModelcTool(context).runAndExit(["lint"] + arguments)
    }
}
