import Foundation
import PackagePlugin

/// Compiles the models of a target and generates its managed-object classes, by `modelc build-target`.
///
/// The plugin says only what is read and written; everything that can be wrong is found by modelc, and told with its place.
@main struct ModelcBuildPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else {
            Diagnostics.error(
                "ModelcBuildPlugin: “\(target.name)” is no target with sources; take the plugin away from it")
            return []
        }
        let files = TargetFiles(target, in: context.package)
        if files.models.isEmpty, files.sharedModels.isEmpty, !files.usesManagedDeclarations {
            Diagnostics.warning(
                """
                ModelcBuildPlugin: there is no .xcdatamodeld below \(target.directoryURL.path), and no @NSManaged in the \
                sources of “\(target.name)”; take the plugin away from the target, or put the model there
                """)
            return []
        }
        let output = context.pluginWorkDirectoryURL
        var arguments = ["build-target", "--module", target.moduleName, "--output", output.path]
        var inputs: [URL] = []
        for model in files.models { arguments += ["--model", model.path] }
        for model in files.sharedModels { arguments += ["--shared-model", model.path] }
        for source in files.sources { arguments += ["--source", source.path] }
        for source in files.excludedSources { arguments += ["--excluded-source", source.path] }
        let configuration = context.package.directoryURL.appending(path: ".modelc.yml")
        if FileManager.default.fileExists(atPath: configuration.path) {
            arguments += ["--config", configuration.path]
            inputs.append(configuration)
        }
        // A folder as an input goes unnoticed by one of the build systems when a file in it changes.
        inputs +=
            (files.models + files.sharedModels).flatMap(TargetFiles.contents) + files.sources + files.excludedSources
        return [
            .buildCommand(
                displayName: "Compiling the models of \(target.name)",
                executable: try context.tool(named: "modelc").url, arguments: arguments, inputFiles: inputs,
                outputFiles: files.outputNames(moduleName: target.moduleName).map { output.appending(path: $0) })
        ]
    }
}

/// What the folder of a target has that modelc is concerned with.
struct TargetFiles {
    /// The models that the manifest excludes: those to compile.
    private(set) var models: [URL] = []
    /// The models that it does not exclude.
    private(set) var sharedModels: [URL] = []
    /// The Swift sources of the target.
    private(set) var sources: [URL] = []
    /// The Swift files that the manifest excludes and that may have to do with Core Data.
    private(set) var excludedSources: [URL] = []

    init(_ target: any SourceModuleTarget, in package: Package) {
        let folder = target.directoryURL.standardizedFileURL
        // Targets may lie inside of each other.
        let otherFolders = Set(
            package.targets.map { $0.directoryURL.standardizedFileURL.path }.filter { $0 != folder.path })
        // What other plugins generate is listed too, and is none of the target's own.
        let listed = target.sourceFiles.map(\.url.standardizedFileURL).filter { $0.path.hasPrefix(folder.path + "/") }
        sources = listed.filter { $0.pathExtension == "swift" }.sorted { $0.path < $1.path }
        let known = Set(listed.map(\.path))
        for file in Self.walk(folder, except: otherFolders) {
            if Self.isModel(file) {
                // Of a model that is a resource, some versions of SwiftPM list the files inside.
                let isShared = known.contains(file.path) || known.contains { $0.hasPrefix(file.path + "/") }
                if isShared { sharedModels.append(file) } else { models.append(file) }
            } else if file.pathExtension == "swift", !known.contains(file.path),
                Self.mentions(["NSManaged", "@objc"], file)
            {
                excludedSources.append(file)
            }
        }
    }

    /// Whether a source has declarations that modelc completes.
    var usesManagedDeclarations: Bool {
        (sources + excludedSources).contains { Self.mentions(["@NSManaged"], $0) }
    }

    private static func mentions(_ words: [String], _ file: URL) -> Bool {
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return words.contains { text.contains($0) }
    }

    /// The names of what `modelc build-target` writes.
    func outputNames(moduleName: String) -> [String] {
        var names = ["\(moduleName)+CoreDataManaged.swift"]
        for model in models {
            let name = model.deletingPathExtension().lastPathComponent
            names += [
                "\(name)+CoreDataModel.swift", "\(name).\(model.pathExtension == "xcdatamodeld" ? "momd" : "mom")",
            ]
        }
        names += excludedSources.map { "\($0.deletingPathExtension().lastPathComponent)+modelc.swift" }
        // modelc has something to say about two of one name; SwiftPM would say something else before.
        var seen: Set<String> = []
        return names.filter { seen.insert($0.lowercased()).inserted }
    }

    /// All files in a folder.
    static func contents(of folder: URL) -> [URL] {
        let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return paths.sorted().map { folder.appending(path: $0) }.filter { !isFolder($0) }
    }

    private static func isModel(_ file: URL) -> Bool { ["xcdatamodeld", "xcdatamodel"].contains(file.pathExtension) }

    private static func isFolder(_ file: URL) -> Bool {
        (try? file.resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory ?? false
    }

    /// The models and files below a folder, without what is hidden or belongs to other targets.
    private static func walk(_ folder: URL, except otherFolders: Set<String>) -> [URL] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().filter { !$0.hasPrefix(".") }.flatMap { name -> [URL] in
            let file = folder.appending(path: name).standardizedFileURL
            guard !otherFolders.contains(file.path) else { return [] }
            return isFolder(file) && !isModel(file) ? walk(file, except: otherFolders) : [file]
        }
    }
}
