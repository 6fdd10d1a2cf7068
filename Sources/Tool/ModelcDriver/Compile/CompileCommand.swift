internal import CompiledModel
internal import Diagnostics
internal import ModelSchema
internal import ModelSource

extension CompileCommand {
    /// Runs the command. If it fails, nothing on disk has changed.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            if MappingInputReader(files: environment.files).isMapping(modelPath) {
                return try compileMapping(environment, &printer)
            }
            let set = try ModelSetReader(files: environment.files, swift: conditions.reading).read(
                modelPath)
            set.addLines(to: &printer)
            try set.requireModels()
            let output = try CompiledOutput(set, requested: outputPath, files: environment.files)
            if listsOutputs {
                environment.outputData(output.path + "\n")
                return .success
            }
            let compilation = Compilation(set, moduleName: moduleName)
            printer.print(compilation.diagnostics, includesNotes: !isQuiet)
            guard let product = compilation.product else { return .findings }
            let isNew = try InputFailure.wrapping { () throws(FileSystemError) in
                try output.write(product, to: environment.files)
            }
            if !isQuiet {
                let count = set.versions.count == 1 ? "1 version" : "\(set.versions.count) versions"
                environment.errorLine("modelc: \(output.path) \(isNew ? "written" : "unchanged"), \(count)")
            }
            return .success
        }
    }
}

/// The result of compiling all versions of a model.
struct Compilation {
    /// A compiled model in memory.
    enum Product {
        /// A `.momd`.
        case bundle(CompiledBundle)
        /// A `.mom`.
        case model(EncodedModel)
    }

    /// The findings in the files themselves.
    private(set) var documentDiagnostics: [Diagnostic]
    /// The findings in the model of each version: for `momc`, which names elements, not locations.
    private(set) var findings: [(version: ModelSet.Version, findings: [ModelFinding])] = []
    /// The compiled model; `nil` when there are errors.
    private(set) var product: Product?
    /// The versions that could be compiled.
    private(set) var versions: [EncodedModel] = []

    /// All findings in all versions, from reading and compiling.
    var diagnostics: [Diagnostic] {
        documentDiagnostics
            + findings.flatMap { version, findings in findings.map { version.diagnostic(for: $0) } }
    }

    /// Compiles all versions.
    ///
    /// - Parameter silencedRules: Rules whose findings do not count, not even as errors.
    init(_ set: ModelSet, moduleName: String?, silencedRules: Set<RuleID> = []) {
        documentDiagnostics = set.allDiagnostics
        for version in set.versions {
            guard let model = version.model else { continue }
            let found = version.findings(at: .compiles).filter { !silencedRules.contains($0.rule) }
            guard found.errors.isEmpty else {
                // The encoder would report the same errors again.
                findings.append((version, found))
                continue
            }
            do throws(UncompilableModel) {
                let encoded = try EncodedModel(
                    model,
                    options: version.swiftData == nil ? EncodedModel.Options(moduleName: moduleName) : .swiftData)
                versions.append(encoded)
                findings.append((version, found + encoded.findings))
            } catch {
                findings.append((version, found + error.findings))
            }
        }
        guard !diagnostics.hasErrors else { return }
        if set.isBundle {
            do throws(CompiledBundleError) {
                product = .bundle(
                    try CompiledBundle(
                        versions: versions, currentVersionName: set.statesCurrent ? set.currentName : nil))
            } catch {
                documentDiagnostics.append(
                    Diagnostic(.error, rule: .invalidName, error.message, file: set.fileName, range: .fileStart))
            }
        } else {
            product = versions.first.map { .model($0) }
        }
    }
}

extension ModelSet {
    /// Whether the model is a bundle of versions rather than a single version.
    var isBundle: Bool {
        if kind == .swift { return currentName != nil }
        return fileName.hasSuffix(ModelInputReader.bundleExtension)
            || fileName.hasSuffix(ModelSetReader.compiledBundleExtension)
    }
}
