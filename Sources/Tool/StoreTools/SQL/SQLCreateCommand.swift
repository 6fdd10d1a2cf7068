internal import CoreData
internal import Diagnostics
package import ModelcDriver
internal import PostgreSQLSchema

extension SQLCreateCommand {
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            let set = try EvolutionReader(files: environment.files).modelSet(modelPath)
            set.addLines(to: &printer)
            let version = try set.version(named: version, option: "--version")
            let indexed = try version.indexedModel()
            printer.print(version.diagnostics.filter { $0.severity > .note })
            let model = try version.managedObjectModel(indexed)
            let statements: [String]
            do {
                statements = try self.statements(model)
            } catch {
                throw InputFailure(
                    diagnostics: [
                        Diagnostic(
                            .error, rule: .unsatisfiableModel, "the model has no tables: \(error)", file: version.path,
                            range: .fileStart)
                    ],
                    exitCode: .findings)
            }
            environment.outputData(statements.map { $0 + ";\n" }.joined())
            return .success
        }
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
