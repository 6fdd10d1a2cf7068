internal import CodeGeneration
internal import Diagnostics
internal import ModelSchema
internal import ModelSource

extension GenerateCommand {
    /// The action for the files.
    enum Action {
        /// Write files that differ, and remove stale files that modelc wrote.
        case write
        /// Compare with the files on disk and print the difference.
        case check
        /// Print what `write` would do.
        case dryRun
        /// Print the paths of the files.
        case listOutputs
    }

    /// Runs the command. If it fails, no file has changed.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            let templates = try TemplateLoader(files: environment.files).load(templateDirectory)
            let reader = ModelSetReader(files: environment.files)
            let source = try readSource(reader.sources)
            let input = try source.input(version: code.version)
            let generation = try settings.completed(
                by: configuration.configurationPath ?? RunSettings.nearestConfiguration(environment.files),
                environment.files)
            var effective = options
            let generated: [GeneratedFile]?
            switch effective.language {
            case .swift, .objectiveC:
                generation.apply(to: &effective)
                let isSwift = effective.language == .swift
                if !isSwift { effective.features.formIntersection(CodeFeature.objectiveC) }
                generated = try generate(
                    input, templates: templates, options: effective,
                    types: isSwift ? try generation.types(environment.files) : nil, printer: &printer)
            case .swiftData:
                // The features in the settings are for Core Data.
                let set = try reader.modelSet(of: source, version: nil)
                generated = try SwiftDataGeneration(
                    set: set, options: effective, templates: templates, isQuiet: isQuiet
                ).generate(input, &printer)
            }
            guard let generated else { return .findings }
            return try perform(environment, printer: &printer) { [effective] () throws(InputFailure) in
                try OutputPlan(
                    generated, directory: outputDirectory, input: input, options: effective,
                    replacesForeignFiles: isForced, files: environment.files)
            }
        }
    }

    /// Reads the versions that are generated.
    private func readSource(_ reader: ModelInputReader) throws(InputFailure) -> LoadedModel {
        guard language == .swiftData else {
            return try reader.readSource(modelPath, code.version.map { .named($0) } ?? .current)
        }
        let source = try reader.readSource(modelPath, .all)
        if source.bundle == nil { try reader.rejectVersion(.version(code.version), source.path) }
        return source
    }

    /// Returns the files of the model, or `nil` if it has errors, which are printed.
    private func generate(
        _ input: ModelInput, templates: TemplateSet, options: GenerationOptions, types: SourceTypes?,
        printer: inout DiagnosticPrinter
    ) throws(InputFailure) -> [GeneratedFile]? {
        let document = input.document
        printer.addLines(document.lines, of: document.path)
        for (path, lines) in input.otherLines { printer.addLines(lines, of: path) }
        var diagnostics = input.otherDiagnostics + document.diagnostics
        // The compiler's warnings are not about the code.
        diagnostics += document.findings(at: .compiles).errors.map { document.diagnostic(for: $0) }
        let generator = CodeGenerator(
            model: document.model, source: input.source, options: options, templates: templates,
            types: types)
        let result: CodeGenerator.Result
        do throws(CodeGenerator.UnknownEntity) {
            result = try generator.generate()
        } catch {
            let names = error.entityNames.prefix(10).map { "“\($0)”" }.joined(separator: ", ")
            throw InputFailure(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .noSuchEntity, "the model has no entity “\(error.name)”", file: document.path,
                        range: .fileStart,
                        help: EditDistance.question(for: error.name, among: error.entityNames)
                            + "It has \(names)\(error.entityNames.count > 10 ? " and others" : "").")
                ],
                exitCode: .couldNotRun)
        }
        diagnostics += result.findings.map { document.diagnostic(for: $0) }
        printer.print(diagnostics, includesNotes: !isQuiet)
        return diagnostics.hasErrors ? nil : result.files
    }

    private func perform(
        _ environment: DriverEnvironment, printer: inout DiagnosticPrinter,
        makePlan: () throws(InputFailure) -> OutputPlan
    ) throws(InputFailure) -> ExitCode {
        switch action {
        case .listOutputs:
            for item in try makePlan().items where item.state != .stale { environment.outputData(item.path + "\n") }
            return .success
        case .dryRun:
            let plan = try makePlan()
            for item in plan.items { environment.outputLine("\(item.state.dryRunWord) \(item.path)") }
            try plan.requireOwnFiles()
            return .success
        case .check:
            return check(try makePlan(), printer: &printer, environment: environment)
        case .write:
            let plan = try OutputPlan.apply(in: outputDirectory, files: environment.files, makePlan)
            if !isQuiet { environment.errorLine(summary(plan)) }
            return .success
        }
    }

    private func check(
        _ plan: OutputPlan, printer: inout DiagnosticPrinter, environment: DriverEnvironment
    ) -> ExitCode {
        printer.print(plan.items.compactMap(\.refusal))
        let wrong = plan.items.filter { $0.state != .unchanged && $0.state != .kept }
        for item in wrong where item.state != .foreign {
            if item.isLink {
                environment.errorLine("modelc: \(item.path) differs; it is a symbolic link, so its text is not shown")
                continue
            }
            let old = item.oldBytes.map { String(decoding: $0, as: UTF8.self) }
            environment.outputPatch(old, item.newText, of: item.path)
        }
        guard !wrong.isEmpty else {
            if !isQuiet { environment.errorLine("modelc: \(counted(plan.items.count, "file")) up to date") }
            return .success
        }
        environment.errorLine(
            "modelc: \(wrong.count) of \(counted(plan.items.count, "file")) not up to date; run the command without --check"
        )
        return .findings
    }

    private func summary(_ plan: OutputPlan) -> String {
        guard !plan.items.isEmpty else {
            let requested = options.mode == .build ? "Class Definition or Category/Extension" : "Manual/None"
            let other = options.mode == .build ? "; --mode manual generates Manual/None entities" : ""
            let which = options.entityNames.isEmpty ? "no entity" : "none of the entities named"
            return "modelc: nothing to generate: \(which) is set to \(requested)\(other)"
        }
        let parts = OutputPlan.State.allCases.compactMap { state in
            let number = plan.items.count { $0.state == state }
            return number == 0 ? nil : "\(number) \(state.summaryWord)"
        }
        return "modelc: \(parts.joined(separator: ", ")) in \(outputDirectory ?? ".")"
    }
}
