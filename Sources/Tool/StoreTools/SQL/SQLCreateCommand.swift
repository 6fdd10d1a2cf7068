internal import CoreData
internal import Diagnostics
internal import ModelMigration
internal import ModelSchema
package import ModelcDriver
internal import PostgreSQLSchema

extension SQLCreateCommand {
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            let (version, indexed) = try EvolutionReader(files: environment.files).version(
                of: modelPath, named: version, printer: &printer)
            let model = try version.managedObjectModel(indexed)
            let (text, notes) = try script(for: model, of: version, indexed)
            printer.print(notes)
            environment.outputData(text)
            return .success
        }
    }

    /// Returns the statements, and what is to be known about them.
    private func script(
        for model: NSManagedObjectModel, of version: ModelSet.Version, _ indexed: IndexedModel
    ) throws(InputFailure) -> (text: String, notes: [Diagnostic]) {
        func diagnostic(_ finding: PostgreSQLDistributionFinding) -> Diagnostic {
            version.diagnostic(for: Self.modelFinding(finding, in: indexed))
        }
        do {
            guard distributingRelationships.isEmpty else {
                let script = try PostgreSQLDistributedScript(
                    model, along: distributingRelationships, configuration: modelConfiguration, namespace: schema,
                    partitions: partitions)
                return (script.text, script.notes.map(diagnostic))
            }
            return (try statements(model).map { $0 + ";\n" }.joined(), [])
        } catch let refusal as PostgreSQLDistributionFinding.Refusal {
            throw version.failure(refusal.findings.map { Self.modelFinding($0, in: indexed) })
        } catch {
            throw InputFailure(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .unsatisfiableModel, "the model has no tables: \(error)", file: version.path,
                        range: .fileStart)
                ],
                exitCode: .findings)
        }
    }

    private static func modelFinding(
        _ finding: PostgreSQLDistributionFinding, in model: IndexedModel
    ) -> ModelFinding {
        let severity: Severity =
            switch finding.kind {
            case .note: .note
            case .warning: .warning
            case .refusal: .error
            }
        let entity = finding.entity.flatMap { model.entities[$0] }
        let property = finding.property.flatMap { entity?.properties[$0]?.property.origin }
        return ModelFinding(
            severity, rule: .undistributableModel, finding.problem, at: property ?? entity?.entity.origin,
            help: finding.help)
    }

    private func statements(_ model: NSManagedObjectModel) throws -> [String] {
        switch dialect {
        case .postgresql:
            try SchemaStatements.postgreSQL(
                model, configuration: modelConfiguration, namespace: schema, partitions: partitions)
        case .sqlite: try SchemaStatements.sqlite(model, configuration: modelConfiguration)
        }
    }
}
