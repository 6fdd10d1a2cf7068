import Foundation
import PackagePlugin

/// Compiles the models of a target and generates its managed-object classes, by `modelc build-target`.
///
/// The plugin says only what is read and written; everything that can be wrong is found by modelc, and told with its place.
@main struct ModelcBuildPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else {
            Diagnostics.error(
                "ModelcBuildPlugin: “\(target.name)” is not a target with sources; remove the plugin from it")
            return []
        }
        let files = TargetFiles(target, in: context.package)
        let lock = context.package.directoryURL.appending(path: "modelc.lock")
        let locksModels = FileManager.default.fileExists(atPath: lock.path) && files.declaresSwiftDataModels
        if files.models.isEmpty, files.sharedModels.isEmpty, files.mappings.isEmpty, !files.usesManagedDeclarations,
            !locksModels
        {
            Diagnostics.warning(
                """
                ModelcBuildPlugin: there is no .xcdatamodeld below \(target.directoryURL.path), and no @NSManaged in the \
                sources of “\(target.name)”; take the plugin away from the target, or put the model there
                """)
            return []
        }
        // Before modelc is built, which takes a while. It says the same, since not all build systems stop at this.
        // A warning: an error would also stop “swift package prepare-for-linux”, which adds the entries. The build ends with
        // modelc's own error.
        if !files.sharedModels.isEmpty { Diagnostics.warning(files.missingExclusions(of: target.name)) }
        let output = context.pluginWorkDirectoryURL
        var arguments = [
            "build-target", "--module", target.moduleName, "--output", output.path, "--target-directory", files.folder,
        ]
        var inputs: [URL] = []
        for model in files.models { arguments += ["--model", model.path] }
        for mapping in files.mappings { arguments += ["--mapping", mapping.path] }
        for model in files.sharedModels { arguments += ["--shared-model", model.path] }
        for source in files.sources { arguments += ["--source", source.path] }
        for source in files.excludedSources {
            arguments += [files.isInModelFolder(source) ? "--model-folder-source" : "--excluded-source", source.path]
        }
        let configuration = context.package.directoryURL.appending(path: ".modelc.yml")
        if FileManager.default.fileExists(atPath: configuration.path) {
            arguments += ["--config", configuration.path]
            inputs.append(configuration)
        }
        if locksModels {
            arguments += ["--lock", lock.path]
            inputs.append(lock)
        }
        // A folder as an input goes unnoticed by one of the build systems when a file in it changes.
        inputs +=
            (files.models + files.sharedModels + files.mappings).flatMap(TargetFiles.contents) + files.sources
            + files.excludedSources
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
    /// The mapping models that the manifest excludes: those to compile.
    private(set) var mappings: [URL] = []
    /// The models and mapping models that it does not exclude.
    private(set) var sharedModels: [URL] = []
    /// The Swift sources of the target.
    private(set) var sources: [URL] = []
    /// The Swift files in the target's folder that the manifest excludes.
    private(set) var excludedSources: [URL] = []
    /// The target's folder.
    let folder: String
    /// The excluded folders that hold a model. All of their Swift files are compiled, as copies.
    private var modelFolders: Set<String> = []

    init(_ target: any SourceModuleTarget, in package: Package) {
        let folder = target.directoryURL.standardizedFileURL
        self.folder = folder.path
        // Targets may lie inside of each other.
        let otherFolders = Set(
            package.targets.map { $0.directoryURL.standardizedFileURL.path }.filter { $0 != folder.path })
        // What other plugins generate is listed too, but is not part of the target's folder.
        let listed = target.sourceFiles.map(\.url.standardizedFileURL).filter { $0.path.hasPrefix(folder.path + "/") }
        sources = listed.filter { $0.pathExtension == "swift" }.sorted { $0.path < $1.path }
        let known = Set(listed.map(\.path))
        let files = Self.walk(folder, except: otherFolders)
        for file in files where Self.isModel(file) && !Self.isListed(file, known) {
            if let outermost = Self.excludedFolder(around: file, in: folder, sources) { modelFolders.insert(outermost) }
        }
        for file in files {
            if Self.isModel(file) {
                if Self.isListed(file, known) {
                    sharedModels.append(file)
                } else if file.pathExtension == "xcmappingmodel" {
                    mappings.append(file)
                } else {
                    models.append(file)
                }
            } else if file.pathExtension == "swift", !known.contains(file.path) {
                excludedSources.append(file)
            }
        }
    }

    /// Whether SwiftPM lists a model, or, as some versions do for resources, the files inside of it.
    private static func isListed(_ model: URL, _ known: Set<String>) -> Bool {
        known.contains(model.path) || known.contains { $0.hasPrefix(model.path + "/") }
    }

    /// The outermost folder around a model, below the target's own, that has no source of the target in it.
    private static func excludedFolder(around model: URL, in folder: URL, _ sources: [URL]) -> String? {
        var result: String?
        var candidate = model.deletingLastPathComponent().standardizedFileURL
        while candidate.path.hasPrefix(folder.path + "/") {
            let path = candidate.path
            guard !sources.contains(where: { $0.path.hasPrefix(path + "/") }) else { break }
            result = path
            candidate = candidate.deletingLastPathComponent().standardizedFileURL
        }
        return result
    }

    /// Whether a file is in an excluded folder that holds a model.
    func isInModelFolder(_ file: URL) -> Bool { modelFolders.contains { file.path.hasPrefix($0 + "/") } }

    /// What to say about models that the manifest does not exclude.
    func missingExclusions(of target: String) -> String {
        let entries = sharedModels.map { "            \"\($0.path.dropFirst(folder.count + 1))\",\n" }.joined()
        return """
            ModelcBuildPlugin: the target “\(target)” does not exclude its models. In Package.swift, remove them from \
            resources: and add to the target:
                    exclude: [
            \(entries)        ],
            """
    }
    /// What makes modelc copy an excluded source.
    private static let objectiveC = [
        "NSManaged", "@objc", "@IB", "#keyPath", "#selector", "override ", "import CoreData.",
        "import Foundation.",
    ]

    /// Whether a source has declarations that modelc completes.
    var usesManagedDeclarations: Bool {
        sources.contains { Self.mentions(["@NSManaged"], $0) }
            || excludedSources.contains { isInModelFolder($0) || Self.mentions(Self.objectiveC, $0) }
    }

    /// Whether a source declares a SwiftData model.
    var declaresSwiftDataModels: Bool { sources.contains { Self.mentions(["@Model"], $0) } }

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
        names += mappings.map { "\($0.deletingPathExtension().lastPathComponent).cdm" }
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

    private static func isModel(_ file: URL) -> Bool {
        ["xcdatamodeld", "xcdatamodel", "xcmappingmodel"].contains(file.pathExtension)
    }

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
