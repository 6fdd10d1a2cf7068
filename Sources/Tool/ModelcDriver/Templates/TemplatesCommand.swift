internal import CodeGeneration
internal import Diagnostics
internal import ModelSchema
internal import ModelSource
internal import Templates

extension EjectCommand {
    /// Copies the built-in templates. If one of the files exists with different contents, nothing is written.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { _ throws(InputFailure) in
            let folder = try InputFailure.wrapping { () throws(FileSystemError) in
                try SourceProtection([], files: environment.files).check(directory, isReplacedWhole: false)
                return try OutputFolder(directory, files: environment.files)
            }
            let written = try folder.exclusively { () throws(InputFailure) in
                try Self.write(to: directory, files: environment.files)
            }
            environment.errorLine("modelc: \(written) templates written to \(directory)")
            return .success
        }
    }

    private static func write(to directory: String, files: any FileSystem) throws(InputFailure) -> Int {
        var transaction = OutputTransaction(files: files)
        var written = 0
        for file in BuiltInTemplates.files {
            let path = PathName.joined(directory, file.name)
            guard files.kind(of: path) != nil else {
                transaction.create(path, file.bytes)
                written += 1
                continue
            }
            guard (try? files.read(path)) == file.bytes else {
                throw InputFailure(
                    diagnostics: [
                        Diagnostic(
                            .error, rule: .fileExists, "a different file with this name already exists", file: path,
                            range: .fileStart,
                            help: "Nothing was written. Specify an empty folder, or move your templates away.")
                    ],
                    exitCode: .couldNotRun)
            }
        }
        try InputFailure.wrapping { () throws(FileSystemError) in try transaction.commit() }
        return written
    }
}

extension ContextCommand {
    /// Prints the values that templates can use for a model as JSON: the object of the `+CoreDataModel` file, whose
    /// `entities` are the objects of each entity's files.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            let input = try ModelInputReader(files: environment.files).read(modelPath, version: code.version)
            printer.addLines(input.document.lines, of: input.document.path)
            printer.print(input.otherDiagnostics + input.document.diagnostics)
            var options = code.options
            features.settings.apply(to: &options)
            let context = RenderContext(model: input.document.model, source: input.source, options: options)
            let object = context.modelObject(
                fileName: "\(input.source.modelName)+CoreDataModel.swift", entities: context.entityObjects())
            environment.output(JSONValue(object).text + "\n")
            return printer.errorCount == 0 ? .success : .findings
        }
    }
}

extension JSONValue {
    /// Creates the JSON of the values that a template can use, with sorted names.
    fileprivate init(_ object: RenderObject) {
        let members = object.allValues.sorted { $0.key < $1.key }
        self = .object(members.map { (key: $0.key, value: JSONValue($0.value)) })
    }

    private init(_ value: RenderValue) {
        switch value {
        case .string(let text): self = .string(text)
        case .bool(let truth): self = .bool(truth)
        case .list(let objects): self = .array(objects.map { JSONValue($0) })
        case .object(let object): self = JSONValue(object)
        }
    }
}
