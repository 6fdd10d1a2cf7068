import Foundation
import PackagePlugin

/// `swift package generate-managed-objects`: Xcode's “Create NSManagedObject Subclass…” for the models of the package.
///
/// Writes the classes of Manual/None entities next to their models. An existing class file is never changed; a
/// properties file is replaced if modelc wrote it, and with `--force` also another one, as one by Xcode. Arguments
/// other than `--target` are those of `modelc generate`, such as `--entity Book`.
@main struct GenerateManagedObjects: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        var extractor = ArgumentExtractor(arguments)
        let names = extractor.extractOption(named: "target")
        let tool = ModelcTool(context)
        if extractor.remainingArguments.contains("--help") { return try tool.runAndExit(["generate", "--help"]) }
        let targets = context.package.targets.filter { names.isEmpty || names.contains($0.name) }
        for name in names where !targets.contains(where: { $0.name == name }) {
            Diagnostics.error("there is no target “\(name)” in the package")
        }
        let models = Set(targets.flatMap { Self.models(of: $0, in: context.package) }).sorted { $0.path < $1.path }
        guard !models.isEmpty else {
            if !names.isEmpty, targets.isEmpty { return }
            return Diagnostics.error("there is no .xcdatamodeld in the targets of the package")
        }
        for model in models {
            // Same as Xcode's menu command, in the folder of the model.
            let folder = model.deletingLastPathComponent().path
            let code = try tool.run(
                ["generate", model.path, "--output", folder, "--mode", "manual"] + extractor.remainingArguments)
            if code != 0 { exit(code) }
        }
        print(
            """
            The compiler on Linux refuses files with @objc; write them into the target's exclude:, and ModelcBuildPlugin \
            compiles copies without it.
            """)
    }

    private static func models(of target: any Target, in package: Package) -> [URL] {
        TargetFolder.files(of: target, in: package).filter {
            ["xcdatamodeld", "xcdatamodel"].contains($0.pathExtension)
        }
    }
}
