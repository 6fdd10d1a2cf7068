internal import CoreData
internal import Diagnostics
internal import ModelMigration
internal import ModelSchema
package import ModelcDriver
internal import StoreDoctor

extension StoreExportCommand {
    /// Runs the command. The exit code is 1 if values could not be exported as they are stored.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { _ throws(InputFailure) in
            try environment.files.requireStore(path)
            let options = try options()
            let model = try modelPath.map { name throws(InputFailure) in
                try StoreModelChoice.model(
                    of: path, in: try ModelSetReader(files: environment.files).read(name), environment.files)
            }
            let exporter = StoreExporter(path: environment.files.systemPath(path), model: model, options: options)
            let summary = try export(exporter, environment)
            for problem in summary.problems { environment.errorLine("modelc: \(path): \(problem.message)") }
            if outputPath != "-" {
                environment.errorLine(
                    format == .views
                        ? "modelc: \(outputPath) written"
                        : "modelc: \(outputPath) written, \(counted(summary.rowCount, "object")) "
                            + "of \(summary.counts.count) entit\(summary.counts.count == 1 ? "y" : "ies")")
            }
            return summary.problems.isEmpty ? .success : .findings
        }
    }

    private func options() throws(InputFailure) -> StoreExporter.Options {
        var options = StoreExporter.Options()
        options.format = format
        options.entities = entities
        for condition in conditions { options.conditions.append(try split(condition)) }
        options.columns = columns.flatMap { $0.split(separator: ",").map(String.init) }
        options.relationships = relationships
        options.dates = dates
        options.inlineLimit = inlineLimit
        options.writesBigIntegersAsText = writesBigIntegersAsText
        options.mergesHierarchies = inheritance == .root
        options.limit = limit
        options.escapesFormulas = escapeFormulas
        return options
    }

    /// Returns the entity and the predicate of a condition.
    private func split(_ text: String) throws(InputFailure) -> (entity: String, predicate: String) {
        if let colon = text.firstIndex(of: ":"),
            text[..<colon].allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }), colon > text.startIndex
        {
            return (String(text[..<colon]), String(text[text.index(after: colon)...].drop(while: \.isWhitespace)))
        }
        guard entities.count == 1, let entity = entities.first else {
            throw InputFailure(
                path, rule: .noSuchEntity, message: "--where “\(text)” names no entity",
                help: "Write --where Entity:PREDICATE, or choose one entity with --entity.")
        }
        return (entity, text)
    }

    private func export(
        _ exporter: StoreExporter, _ environment: DriverEnvironment
    ) throws(InputFailure) -> StoreExporter.Summary {
        func run(_ target: ExportTarget) throws(StoreExporter.Failure) -> StoreExporter.Summary {
            try ProgressBar(environment, label: path).run { () throws(StoreExporter.Failure) in
                try exporter.export(to: target)
            }
        }
        if outputPath == "-" {
            do throws(StoreExporter.Failure) {
                return try run(
                    .stream { bytes throws(StoreExporter.Failure) in
                        environment.outputData(String(decoding: bytes, as: UTF8.self))
                        if environment.outputHasFailed() { throw .closedOutput }
                    })
            } catch {
                throw failure(error, environment)
            }
        }
        let isFolder = format == .jsonl || format == .csv
        let output = try ExportOutput(
            outputPath, isFolder: isFolder, store: path, replaces: replaces, environment.files)
        defer { output.discard() }
        let summary: StoreExporter.Summary
        do throws(StoreExporter.Failure) {
            summary = try run(isFolder ? .folder(output.temporaryPath) : .file(output.temporaryPath))
        } catch {
            throw failure(error, environment)
        }
        try output.commit()
        return summary
    }

    private func failure(_ error: StoreExporter.Failure, _ environment: DriverEnvironment) -> InputFailure {
        let rule: RuleID =
            switch error.kind {
            case .notAStore: .notAStore
            case .locked, .changed, .output, .closedOutput: .fileSystem
            case .noModel: .noModelInStore
            case .unknownElement: .noSuchEntity
            case .predicate: .invalidPredicate
            }
        var message = error.message
        if error.kind == .locked, let holders = StoreLock.holders(ofStoreAt: environment.files.systemPath(path)) {
            message += " by \(holders)"
        }
        let isOutput = error.kind == .output || error.kind == .closedOutput
        return InputFailure(isOutput ? outputPath : path, rule: rule, message: message, help: error.help)
    }
}
