internal import CloudKitSchema
internal import Diagnostics
internal import ModelLint
internal import ModelSchema
internal import ModelSource

extension CloudKitExportCommand {
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            let model = try CloudKitModel(
                modelPath, version: options.version, configuration: options.configuration, settings: nil,
                swift: conditions.reading, files: environment.files)
            model.set.addLines(to: &printer)
            printer.print(
                model.findings + model.mapping.findings.map { model.diagnostic(for: $0) })
            guard printer.errorCount == 0 else { return .findings }
            let options = options.schemaOptions
            var schema = model.mapping.schema(options)
            if let mergedPath {
                let production = try SchemaReader(files: environment.files).read(mergedPath)
                printer.addLines(production.lines, of: production.path)
                printer.print(
                    production.diagnostics + impossibleChanges(model, production: production, options: options))
                guard printer.errorCount == 0 else { return .findings }
                schema = production.schema.adding(schema)
            }
            try write(try text(of: schema, model), in: environment)
            return .success
        }
    }

    /// Returns the changes that can never be deployed to a database with the merged schema.
    private func impossibleChanges(
        _ model: CloudKitModel, production: SchemaDocument, options: SchemaOptions
    ) -> [Diagnostic] {
        DeploymentCheck.findings(for: model.mapping, in: production.schema, options)
            .filter { $0.finding.rule == .cloudkitTypeChanged }.map { $0.diagnostic(model, production) }
    }

    /// Returns the text of a schema. Throws if the text does not read back as the same schema, as when a suppression
    /// hides the finding about an invalid name.
    private func text(of schema: Schema, _ model: CloudKitModel) throws(InputFailure) -> String {
        let text = SchemaPrinter.text(schema)
        let written = SchemaDocument(bytes: Array(text.utf8), path: output.outputPath ?? "")
        if !written.diagnostics.hasErrors, written.schema.inExportOrder == schema.inExportOrder { return text }
        throw InputFailure(
            diagnostics: [
                Diagnostic(
                    .error, rule: .cloudkitName, "the model has names that a CloudKit schema cannot express",
                    file: model.document.path, range: .fileStart,
                    why: "The exported text would be read back as a different schema.",
                    help: "Remove the suppression of cloudkit-name, and correct the names that it reports.")
            ],
            exitCode: .findings)
    }

    private func write(_ text: String, in environment: DriverEnvironment) throws(InputFailure) {
        guard let outputPath = output.outputPath else { return environment.outputData(text) }
        let isNew = try InputFailure.wrapping { () throws(FileSystemError) in
            try SourceProtection([modelPath] + (mergedPath.map { [$0] } ?? []), files: environment.files).check(
                outputPath)
            try OutputDestination.requireFile(
                outputPath, beginningWith: [Array("DEFINE SCHEMA".utf8)], kind: "a CloudKit schema", environment.files)
            return try environment.files.writeIfChanged(outputPath, Array(text.utf8))
        }
        if isNew { environment.errorLine("modelc: \(outputPath) written") }
    }
}

extension DeploymentFinding {
    /// Returns the finding as a diagnostic: in the model if it has a location there, otherwise in the schema.
    func diagnostic(_ model: CloudKitModel, _ production: SchemaDocument) -> Diagnostic {
        var result = model.diagnostic(for: finding)
        let range = location.flatMap { production.range(of: $0) }
        if finding.origin == nil {
            result.file = production.path
            result.range = range ?? .fileStart
        } else if let range {
            result.related = [RelatedLocation("the schema has it here", file: production.path, range: range)]
        }
        result.element = ElementPath(
            model: model.set.name, version: model.document.model.name, components: components, kind: kind)
        return result
    }
}
