internal import CodeGeneration
internal import Diagnostics
internal import ModelLint
internal import ModelSchema
internal import ModelSource
internal import SwiftSources

/// One run of `modelc build-target`: its inputs, findings and outputs.
struct TargetBuild {
    private let command: BuildCommand
    private let files: any FileSystem
    private var sources: [ManagedSource] = []
    private var models: [BuiltModel] = []
    /// The compiled mapping models, by file name.
    private var mappings: [(name: String, bytes: [UInt8])] = []
    private(set) var diagnostics: [Diagnostic] = []
    /// The lines of the files that were read, for excerpts.
    private(set) var lines: [String: LineIndex] = [:]
    private var texts: [(name: String, text: String)] = []
    /// Whether all models are known, so that an entity that the sources name is in one of them or does not exist.
    private var knowsAllModels = false

    private struct BuiltModel {
        var source: LoadedModel
        /// The current version.
        var input: ModelInput
        var compilation: Compilation
        var set: ModelSet
    }

    init(_ command: BuildCommand, _ files: any FileSystem) {
        self.command = command
        self.files = files
    }

    // MARK: Reading

    /// The maximum size of a source file, in bytes. Only generated tables are larger.
    private static let sizeLimit = 16 << 20

    mutating func readSources() throws(InputFailure) {
        let modelFolderSources = Set(command.modelFolderSourcePaths)
        for (paths, isExcluded) in [(command.sourcePaths, false), (command.excludedSourcePaths, true)] {
            for path in paths {
                guard case .file(let size)? = files.kind(of: path), size <= Self.sizeLimit else { continue }
                var source = ManagedSource(path: path, bytes: try files.readInput(path), isExcluded: isExcluded)
                source.isInModelFolder = isExcluded && modelFolderSources.contains(path)
                sources.append(source)
            }
        }
    }

    /// Reads and compiles the models. Reports an error for a model that cannot be read, and continues with the next
    /// one.
    mutating func readModels() {
        for path in command.modelPaths {
            do throws(InputFailure) {
                let reader = ModelSetReader(files: files)
                let source = try reader.sources.readSource(path, .all)
                let input = try source.input(version: nil)
                let set = try reader.modelSet(of: source, version: nil)
                models.append(
                    BuiltModel(
                        source: source, input: input, compilation: Compilation(set, moduleName: command.moduleName),
                        set: set))
                lines[input.document.path] = input.document.lines
                lines.merge(input.otherLines) { first, _ in first }
            } catch {
                add(error.diagnostics)
                lines.merge(error.lines) { first, _ in first }
            }
        }
    }

    /// Reads and compiles the mapping models.
    mutating func readMappings() {
        for path in command.mappingPaths {
            do throws(InputFailure) {
                let input = try MappingInputReader(files: files).read(path)
                let compilation = MappingCompilation(input)
                add(compilation.diagnostics)
                lines.merge(input.lines) { first, _ in first }
                guard let bytes = compilation.bytes else { continue }
                mappings.append((input.name + MappingInputReader.compiledExtension, bytes))
            } catch {
                add(error.diagnostics)
                lines.merge(error.lines) { first, _ in first }
            }
        }
    }

    /// Keeps errors and skipped versions, each once: the reader, the compiler and the checks may all report the same
    /// one.
    private mutating func add(_ found: [Diagnostic]) {
        for diagnostic in found where diagnostic.severity == .error || diagnostic.reportsSkippedVersion {
            let isKnown = diagnostics.contains {
                $0.rule == diagnostic.rule && $0.file == diagnostic.file && $0.range == diagnostic.range
                    && $0.message == diagnostic.message
            }
            if !isKnown { diagnostics.append(diagnostic) }
        }
    }

    // MARK: Checking

    /// Finds problems that SwiftPM or the compiler would report without a mention of the model.
    mutating func checkNames() {
        for path in command.sharedModelPaths {
            let name = PathName.name(of: path)
            diagnostics.append(
                Diagnostic(
                    .error, rule: .modelNotExcluded, "the target does not exclude the model “\(name)”", file: path,
                    range: .fileStart,
                    why:
                        "Xcode would compile it and generate its classes too, and SwiftPM copies its source into the bundle.",
                    help:
                        "Add exclude: [\(SwiftIdentifier.stringLiteral(relative(path)))] to the target in Package.swift, and do "
                        + "not name the model under resources:."))
        }
        // File systems of Apple's platforms do not distinguish `Books` from `books`.
        checkUnique(
            command.modelPaths, rule: .duplicateModel, name: { PathName.stem(of: $0) },
            message: { "the target has two models named “\($0)”" }, why: "Both would become the same files.")
        let code = self.code
        checkUnique(
            command.mappingPaths, rule: .duplicateModel, name: { PathName.stem(of: $0) },
            message: { "the target has two mapping models named “\($0)”" }, why: "Both would become the same file.")
        checkUnique(
            sources.filter(code.isAdopted).map(\.path),
            rule: .duplicateSource, name: { PathName.stem(of: $0) },
            message: { "the target excludes two sources named “\($0).swift”" },
            why: "Their copies would be the same file.")
        checkClasses()
        knowsAllModels = !diagnostics.hasErrors
    }

    /// Reports classes that two models generate. Within one model, the generator finds them.
    private mutating func checkClasses() {
        var owners: [String: (model: Int, entity: String)] = [:]
        for (index, model) in models.enumerated() {
            let document = model.input.document
            for entity in document.model.entities
            where entity.codeGeneration == .classDefinition && entity.className.isCustom {
                let name = entity.className.name
                guard let owner = owners[name] else {
                    owners[name] = (index, entity.name)
                    continue
                }
                guard owner.model != index else { continue }
                let other = models[owner.model].input
                diagnostics.append(
                    document.diagnostic(
                        for: ModelFinding(
                            .error, rule: .duplicateClass,
                            "“\(entity.name)” has the class “\(name)”, which “\(owner.entity)” of the model "
                                + "“\(other.source.modelName)” also has",
                            at: entity.origin, attribute: "representedClassName",
                            why: "Both would generate the class, which the Swift compiler rejects.",
                            help: "Give one of them another class, or set one to Manual/None.")))
            }
        }
    }

    /// Returns a path relative to the target's folder.
    private func relative(_ path: String) -> String {
        guard let folder = command.targetDirectory.map(PathName.withoutTrailingSlashes),
            path.utf8.starts(with: (folder + "/").utf8)
        else { return PathName.name(of: path) }
        return String(path.dropFirst(folder.count + 1))
    }

    /// The findings that an entry of `exclude:` resolves.
    static let answeredByExclusion: Set<RuleID> = [
        .modelNotExcluded, .objectiveCAttribute, .unsupportedManagedProperty, .unsupportedManagedFunction,
    ]

    /// The entries of `exclude:` that are missing, to be pasted into the manifest; `nil` if none is.
    var linesToPaste: String? {
        let excluded = Set(command.excludedSourcePaths)
        let missing = diagnostics.filter { $0.severity == .error && Self.answeredByExclusion.contains($0.rule) }
            .compactMap(\.file).filter { !excluded.contains($0) }
        let entries = Set(missing.map(relative)).sorted()
        guard !entries.isEmpty else { return nil }
        return "modelc: add these entries to the target in Package.swift, or run “swift package prepare-for-linux”:\n"
            + ExcludeList.argument(entries)
    }

    private mutating func checkUnique(
        _ paths: [String], rule: RuleID, name: (String) -> String, message: (String) -> String, why: String
    ) {
        var owners: [String: String] = [:]
        for path in paths {
            let key = name(path).lowercased()
            guard let other = owners[key] else {
                owners[key] = path
                continue
            }
            diagnostics.append(
                Diagnostic(
                    .error, rule: rule, message(name(path)), file: path, range: .fileStart,
                    why: "The other is \(other). \(why)", help: "Rename one of them."))
        }
    }

    /// Runs the rules of `modelc lint`, with the settings of the package.
    mutating func lint(_ environment: DriverEnvironment) throws(InputFailure) {
        guard !models.isEmpty else { return }
        let code = self.code
        let compiled = sources.filter { !$0.isExcluded || code.isAdopted($0) }
        let settings = try RunSettings(configurationPath: command.configurationPath, environment.files)
        var classes = SourceClasses(declarations: [:])
        for source in compiled { classes.add(source.file, path: source.path) }
        var session = try LintSession(settings, environment, sourceClasses: compiled.isEmpty ? nil : classes)
        session.setTargets(from: models.map(\.source))
        // The warning for a version that is left out names its errors.
        let skipped = models.flatMap { model in
            model.set.skippedVersionNames.map { name in
                PathName.joined(model.source.path, name + ModelInputReader.modelExtension) + "/"
            }
        }
        add(
            try session.findings().filter { !skipped.contains(where: $0.file?.hasPrefix ?? { _ in false }) }
        )
        lines.merge(session.lines) { first, _ in first }
    }

    private var currentModels: [Model] { models.map(\.input.document.model) }

    /// The code of the sources.
    private var code: ManagedCode {
        ManagedCode(
            moduleName: command.moduleName, models: currentModels, sources: sources,
            availableModules: Set(command.availableModules))
    }

    // MARK: Making

    /// Generates all files, in memory.
    mutating func generate(_ templates: TemplateSet) throws(InputFailure) {
        let settings = try GenerationSettings().completed(by: command.configurationPath, files)
        var options = GenerationOptions(flavor: .portable)
        options.moduleName = command.moduleName
        settings.apply(to: &options)
        let types = options.features.isEmpty ? nil : SourceTypes(sources.map(\.file))
        let code = self.code
        for model in models {
            add(model.compilation.diagnostics)
            add(model.input.otherDiagnostics + model.input.document.diagnostics)
            guard !diagnostics.hasErrors else { continue }
            let generator = CodeGenerator(
                model: model.input.document.model, source: model.input.source, options: options, templates: templates,
                types: types)
            // No entities are named, so none can be unknown.
            guard let result = try? generator.generate() else { continue }
            // One type of object IDs serves all models of the module.
            if !result.files.isEmpty { options.declaresManagedID = false }
            add(result.findings.map { model.input.document.diagnostic(for: $0) })
            let name = BuildCommand.codeFileName(ofModel: model.input.source.modelName)
            let text =
                (result.files.first?.text).map(code.completing)
                ?? ManagedCode.emptyFile(named: name, origin: model.input.source.fileName)
            texts.append((name, text))
        }
        let problems = knowsAllModels ? code.diagnostics() : []
        diagnostics += problems
        for path in Set(problems.compactMap(\.file)) {
            if let source = sources.first(where: { $0.path == path }) { lines[path] = LineIndex(source.bytes) }
        }
        let name = BuildCommand.accessorsFileName(ofModule: command.moduleName)
        texts.append((name, code.accessorsFile(named: name)))
        // Only one of several sources with the same name may be copied.
        var names: Set<String> = []
        for source in sources.filter(code.isAdopted) + sources.filter({ $0.isExcluded && !code.isAdopted($0) }) {
            let name = BuildCommand.copyName(ofSource: source.path)
            guard names.insert(name.lowercased()).inserted else { continue }
            texts.append((name, code.copy(of: source, named: name)))
        }
    }

    // MARK: Writing

    /// Writes the files that changed. A file that keeps its date is not recompiled.
    func write() throws(InputFailure) {
        let folder = try InputFailure.wrapping { () throws(FileSystemError) in
            try SourceProtection(command.modelPaths + command.mappingPaths, files: files).check(
                command.outputDirectory, isReplacedWhole: false)
            return try OutputFolder(command.outputDirectory, files: files)
        }
        var outputs: [(CompiledOutput, Compilation.Product)] = []
        for model in models {
            guard let product = model.compilation.product else { continue }
            outputs.append(
                (try CompiledOutput(model.set, requested: command.outputDirectory + "/", files: files), product))
        }
        try folder.exclusively { () throws(InputFailure) in
            try InputFailure.wrapping { () throws(FileSystemError) in
                for (output, _) in outputs { try output.check(files) }
                var transaction = OutputTransaction(files: files)
                for (name, bytes) in texts.map({ ($0.name, Array($0.text.utf8)) }) + mappings {
                    let path = PathName.joined(command.outputDirectory, name)
                    var old: [UInt8]?
                    if case .file? = files.kind(of: path) { old = try files.read(path) }
                    guard old != bytes else { continue }
                    try Self.requireOwn(path, old)
                    try transaction.write(generated: path, bytes)
                }
                try transaction.commit { () throws(FileSystemError) in
                    for (output, product) in outputs { _ = try output.write(product, to: files) }
                }
            }
        }
    }

    /// Throws if a file that would be replaced is not one that modelc writes for a target.
    private static func requireOwn(_ path: String, _ bytes: [UInt8]?) throws(FileSystemError) {
        guard let bytes else { return }
        let name = PathName.name(of: path)
        let head = String(decoding: bytes.prefix(GeneratedHeader.length), as: UTF8.self)
        if name.hasSuffix(MappingInputReader.compiledExtension), bytes.starts(with: "bplist".utf8) { return }
        if case .modelc = GeneratedHeader.owner(of: head, fileName: name) { return }
        throw OutputDestination.rejection(
            path, "modelc did not generate the file; move it, or build into another folder")
    }
}
