import Foundation
import PackagePlugin

/// Compiles the models of a target and generates its managed-object classes with `modelc build-target`.
///
/// The plugin only declares inputs and outputs; modelc finds all errors and reports them with their locations.
@main struct ModelcBuildPlugin: BuildToolPlugin {
    /// The modules that copies import in place of Combine if the target depends on one.
    private static let combineModules: Set<String> = ["OpenCombine", "OpenCombineShim"]

    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else {
            Diagnostics.error(
                "ModelcBuildPlugin: “\(target.name)” is not a target with sources; remove the plugin from it")
            return []
        }
        let files = TargetFiles(target, in: context.package)
        let lock = context.package.directoryURL.appending(path: "modelc.lock")
        let locksModels = FileManager.default.fileExists(atPath: lock.path) && files.declaresSwiftDataModels
        if files.models.isEmpty, files.sharedModels.isEmpty, files.mappings.isEmpty, !files.needsCode, !locksModels {
            Diagnostics.warning(
                """
                ModelcBuildPlugin: there is no .xcdatamodeld below \(target.directoryURL.path), and no @NSManaged in the \
                sources of “\(target.name)”; take the plugin away from the target, or put the model there
                """)
            return []
        }
        // Report this before modelc is built, which takes a while. modelc reports it again, since not all build systems
        // stop here. This is a warning since an error would also stop “swift package prepare-for-linux”, which adds the
        // entries. modelc itself fails the build.
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
        for module in Set(target.recursiveTargetDependencies.map(\.name)).intersection(Self.combineModules).sorted() {
            arguments += ["--available-module", module]
        }
        let configuration = context.package.directoryURL.appending(path: ".modelc.yml")
        if FileManager.default.fileExists(atPath: configuration.path) {
            arguments += ["--config", configuration.path]
            inputs.append(configuration)
            if let baseline = TargetFiles.baseline(of: configuration) { inputs.append(baseline) }
        }
        if locksModels {
            arguments += ["--lock", lock.path]
            inputs.append(lock)
        }
        // One of the build systems does not notice a changed file in a folder that is an input.
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

/// The files in a target's folder that are relevant to modelc.
struct TargetFiles {
    /// The models excluded by the manifest, which modelc compiles.
    private(set) var models: [URL] = []
    /// The mapping models excluded by the manifest, which modelc compiles.
    private(set) var mappings: [URL] = []
    /// The models and mapping models not excluded by the manifest.
    private(set) var sharedModels: [URL] = []
    /// The Swift sources of the target.
    private(set) var sources: [URL] = []
    /// The Swift files in the target's folder excluded by the manifest.
    private(set) var excludedSources: [URL] = []
    /// The target's folder.
    let folder: String
    /// The excluded folders that contain a model. Copies of all their Swift files are compiled.
    private var modelFolders: Set<String> = []

    init(_ target: any SourceModuleTarget, in package: Package) {
        let folder = target.directoryURL.standardizedFileURL
        self.folder = folder.path
        // Targets may be nested.
        let otherFolders = Set(
            package.targets.map { $0.directoryURL.standardizedFileURL.path }.filter { $0 != folder.path })
        // Files generated by other plugins are listed too, but are not in the target's folder.
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

    /// Returns whether SwiftPM lists a model or, as some versions do for resources, the files inside it.
    private static func isListed(_ model: URL, _ known: Set<String>) -> Bool {
        known.contains(model.path) || known.contains { $0.hasPrefix(model.path + "/") }
    }

    /// Returns the outermost folder around a model, inside the target's folder, that contains no source of the target.
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

    /// Returns whether a file is in an excluded folder that contains a model.
    func isInModelFolder(_ file: URL) -> Bool { modelFolders.contains { file.path.hasPrefix($0 + "/") } }

    /// Returns the message about models not excluded by the manifest.
    func missingExclusions(of target: String) -> String {
        let entries = sharedModels.map { "            \"\($0.path.dropFirst(folder.count + 1))\",\n" }.joined()
        return """
            ModelcBuildPlugin: the target “\(target)” does not exclude its models. In Package.swift, remove them from \
            resources: and add to the target:
                    exclude: [
            \(entries)        ],
            """
    }

    /// The beginnings of the names that modelc looks for in sources that do not import Core Data.
    private static let coreDataNames = ["NSManaged", "NSPersistent", "NSFetch", "NSEntity", "NSBatch", "NSMerge"]

    /// Whether modelc has something to do for the sources: compile copies of excluded ones, complete declarations, or
    /// import Core Data for those that do not.
    var needsCode: Bool {
        !excludedSources.isEmpty
            || sources.contains { source in
                Self.mentions(["@NSManaged"], source)
                    || Self.mentions(Self.coreDataNames, source) && !Self.mentions(["import CoreData"], source)
            }
    }

    /// Whether a source declares a SwiftData model.
    var declaresSwiftDataModels: Bool { sources.contains { Self.mentions(["@Model"], $0) } }

    private static func mentions(_ words: [String], _ file: URL) -> Bool {
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return words.contains { text.contains($0) }
    }

    /// Returns the names of the files written by `modelc build-target`.
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
        // modelc reports two models of one name; duplicate outputs would make SwiftPM fail first with another message.
        var seen: Set<String> = []
        return names.filter { seen.insert($0.lowercased()).inserted }
    }

    /// Returns all files in a folder and its subfolders. Symbolic links are resolved: a model may be shared between
    /// packages.
    static func contents(of folder: URL) -> [URL] {
        var visited: Set<String> = []
        return contents(of: folder, &visited)
    }

    private static func contents(of file: URL, _ visited: inout Set<String>) -> [URL] {
        let file = file.resolvingSymlinksInPath()
        guard isFolder(file) else { return [file] }
        guard visited.insert(file.path).inserted else { return [] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: file.path)) ?? []
        return names.sorted().flatMap { contents(of: file.appending(path: $0), &visited) }
    }

    /// Returns the existing file that `baseline:` names in settings.
    static func baseline(of settings: URL) -> URL? {
        let text = (try? String(contentsOf: settings, encoding: .utf8)) ?? ""
        let key = "baseline:"
        guard let line = text.split(whereSeparator: \.isNewline).first(where: { $0.hasPrefix(key) }) else { return nil }
        var path = line.dropFirst(key.count).trimmingCharacters(in: .whitespaces)
        if let quote = path.first, quote == "\"" || quote == "'" {
            path = String(path.dropFirst().prefix { $0 != quote })
        } else if let comment = path.range(of: " #") {
            path = path[..<comment.lowerBound].trimmingCharacters(in: .whitespaces)
        }
        let file = URL(fileURLWithPath: path, relativeTo: settings.deletingLastPathComponent()).standardizedFileURL
        return path.isEmpty || !FileManager.default.fileExists(atPath: file.path) ? nil : file
    }

    private static func isModel(_ file: URL) -> Bool {
        ["xcdatamodeld", "xcdatamodel", "xcmappingmodel"].contains(file.pathExtension)
    }

    private static func isFolder(_ file: URL) -> Bool {
        (try? file.resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory ?? false
    }

    /// Returns the models and files in a folder and its subfolders, except hidden files and those of other targets.
    private static func walk(_ folder: URL, except otherFolders: Set<String>) -> [URL] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().filter { !$0.hasPrefix(".") }.flatMap { name -> [URL] in
            let file = folder.appending(path: name).standardizedFileURL
            guard !otherFolders.contains(file.path) else { return [] }
            return isFolder(file) && !isModel(file) ? walk(file, except: otherFolders) : [file]
        }
    }
}
