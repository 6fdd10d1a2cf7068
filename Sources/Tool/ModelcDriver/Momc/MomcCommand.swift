internal import CodeGeneration
internal import CompiledModel
internal import Diagnostics
internal import ModelSchema
internal import ModelSource

/// `modelc momc …`, and the program under the name `momc`: the command line of Apple's model compiler, so that a build
/// rule for `momc` runs unchanged.
///
/// Messages have the form that build systems parse, `path: element: severity: text`. The checksum of each version is
/// printed as Xcode 15 and later print them. The exit code is 1 for any error, like Apple's.
extension MomcCommand {
    package func run(in environment: DriverEnvironment) -> ExitCode { Self.run(arguments, in: environment) }

    /// Runs the command with the arguments that follow its name.
    package static func run(_ arguments: [String], in environment: DriverEnvironment) -> ExitCode {
        do throws(AppleCommandLine.InvalidArguments) {
            return MomcRun(try MomcCommandLine(arguments), environment).run()
        } catch {
            environment.errorLine("momc: error: \(error.message)")
            return .findings
        }
    }
}

/// One run of `momc`.
private struct MomcRun {
    private let arguments: MomcCommandLine
    private let environment: DriverEnvironment

    init(_ arguments: MomcCommandLine, _ environment: DriverEnvironment) {
        self.arguments = arguments
        self.environment = environment
    }

    func run() -> ExitCode {
        do throws(InputFailure) {
            switch arguments.action {
            case .compile: return try compile()
            case .generate: return try generate()
            }
        } catch {
            for diagnostic in error.diagnostics { report(diagnostic, element: nil) }
            return .findings
        }
    }

    private func compile() throws(InputFailure) -> ExitCode {
        let set = try ModelSetReader(files: environment.files).read(arguments.input)
        let output = try CompiledOutput(set, requested: arguments.output, files: environment.files)
        if arguments.isDryRun {
            environment.outputData(output.path + "\n")
            return .success
        }
        let compilation = Compilation(set, moduleName: arguments.moduleName, silencedRules: arguments.silencedRules)
        for diagnostic in compilation.documentDiagnostics { report(diagnostic, element: nil) }
        for (version, findings) in compilation.findings {
            let paths = version.model.map(MomcElementNames.init)
            for finding in findings {
                report(version.diagnostic(for: finding), element: paths?[finding.origin])
            }
        }
        guard let product = compilation.product else { return .findings }
        _ = try InputFailure.wrapping { () throws(FileSystemError) in
            try output.write(product, to: environment.files)
        }
        for version in compilation.versions {
            let path = set.versions.first { $0.name == version.name }?.path ?? set.fileName
            environment.errorLine(
                "\(Self.modelPath(path)): note: Model \(version.name) version checksum: \(version.hashes.checksum)")
        }
        return .success
    }

    private func generate() throws(InputFailure) -> ExitCode {
        let input: ModelInput
        do throws(InputFailure) {
            input = try ModelInputReader(files: environment.files).read(arguments.input, version: nil)
        } catch {
            if error.diagnostics.contains(where: { $0.rule == .noCurrentVersion }) {
                environment.errorLine(
                    "error: Could not fetch generated file paths: No current version for model at path "
                        + "\(arguments.input): [0]")
                return .findings
            }
            throw error
        }
        let document = input.document
        for diagnostic in input.otherDiagnostics + document.diagnostics { report(diagnostic, element: nil) }
        let paths = MomcElementNames(document.model)
        // The compiler's warnings are not about the code.
        var findings = document.findings(at: .compiles).errors
            .filter { !arguments.silencedRules.contains($0.rule) }
        let templates = try TemplateLoader(files: environment.files).load(nil)
        // The language is a setting of the model (File inspector ▸ Code Generation ▸ Language).
        var options = GenerationOptions()
        if document.model.settings.sourceLanguage == "Objective-C" { options.language = .objectiveC }
        let generator = CodeGenerator(
            model: document.model, source: input.source, options: options, templates: templates)
        let generated = try? generator.generate()
        findings += generated?.findings ?? []
        for finding in findings { report(document.diagnostic(for: finding), element: paths[finding.origin]) }
        guard let generated, !findings.contains(where: { $0.severity == .error }), !document.diagnostics.hasErrors
        else {
            return .findings
        }
        let directory = PathName.withoutTrailingSlashes(arguments.output)
        func makePlan() throws(InputFailure) -> OutputPlan {
            try OutputPlan(
                generated.files, directory: directory, input: input, options: options, files: environment.files)
        }
        if arguments.isDryRun {
            for item in try makePlan().items where item.state != .stale { environment.outputData(item.path + "\n") }
        } else {
            _ = try OutputPlan.apply(in: directory, files: environment.files, makePlan)
        }
        return .success
    }

    /// Prints a finding as `path: element: severity: text`; without an element, with its location instead.
    private func report(_ diagnostic: Diagnostic, element: String?) {
        if diagnostic.severity == .note { return }
        if diagnostic.severity == .warning, arguments.silencesAllWarnings { return }
        if arguments.silencedRules.contains(diagnostic.rule) { return }
        let path = diagnostic.file.map(Self.modelPath) ?? arguments.input
        let start = diagnostic.range?.start
        // A colon would end the element for tools that parse the message.
        let location = element ?? start.map { "line \($0.line), column \($0.column)" } ?? ""
        environment.errorLine(
            "\(path): \(location): \(diagnostic.severity.word): \(diagnostic.message) [\(diagnostic.rule.rawValue)]")
    }

    /// Returns the folder of a model, which Apple's compiler names instead of the file inside.
    private static func modelPath(_ path: String) -> String {
        PathName.name(of: path) == "contents" ? PathName.parent(of: path) : path
    }
}

/// The names of elements in messages of `momc`: `Entity` and `Entity.property`.
private struct MomcElementNames {
    private var paths: [Int: String] = [:]

    init(_ model: Model) {
        for entity in model.entities {
            add(entity.origin, entity.name)
            for property in entity.attributes { add(property.origin, "\(entity.name).\(property.name)") }
            for property in entity.relationships { add(property.origin, "\(entity.name).\(property.name)") }
            for property in entity.fetchedProperties { add(property.origin, "\(entity.name).\(property.name)") }
        }
        for request in model.fetchRequests { add(request.origin, request.name) }
    }

    private mutating func add(_ origin: ElementOrigin?, _ path: String) {
        guard let origin else { return }
        paths[origin.index] = String(DisplayText.line(path).map { $0 == ":" ? "-" : $0 })
    }

    subscript(origin: ElementOrigin?) -> String? { origin.flatMap { paths[$0.index] } }
}
