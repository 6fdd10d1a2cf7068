import PackagePlugin

/// `swift package format-model`: runs `modelc format`, with the given arguments, for all models in the package's
/// folder.
@main struct FormatModel: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        try ModelcTool(context).runAndExit(["format"] + arguments)
    }
}
