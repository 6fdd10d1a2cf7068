import PackagePlugin

/// `swift package format-model`: `modelc format` for all models below the package's folder, with the arguments that are given.
@main struct FormatModel: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        try ModelcTool(context).runAndExit(["format"] + arguments)
    }
}
