internal import CoreData
internal import Diagnostics
internal import ModelMigration
internal import ModelSchema
internal import ModelSource
package import ModelcDriver

extension StoreMakeCommand {
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            let (version, indexed) = try EvolutionReader(files: environment.files).version(
                of: modelPath, named: version, printer: &printer)
            let path = outputPath ?? "\(version.name).sqlite"
            let (plan, model) = try Self.prepare(indexed, version, rows: rows)
            let location = try StagingLocation(path, replaces: replaces, environment.files)
            let counts: [(entity: String, rows: Int)]
            do throws(StoreMaker.Failure) {
                counts = try StoreMaker(plan, model: model, seed: seed).write(to: location.temporaryPath)
            } catch {
                location.discard()
                throw Self.inputFailure(error, version: version, path: path)
            }
            try location.publish()
            for reduction in plan.reductions.sorted(by: { $0.entity < $1.entity }) {
                environment.errorLine(
                    "modelc: “\(reduction.entity)” has \(counted(reduction.rows, "row")): "
                        + "“\(reduction.relationship)” allows no more"
                )
            }
            let total = counts.reduce(0) { $0 + $1.rows }
            environment.errorLine(
                "modelc: \(path) written, \(counted(total, "row")) of \(counts.count) "
                    + "entit\(counts.count == 1 ? "y" : "ies"), version “\(version.name)”, seed \(seed)"
            )
            return .success
        }
    }

    private static func prepare(
        _ indexed: IndexedModel, _ version: ModelSet.Version, rows: Int
    ) throws(InputFailure) -> (StorePlan, NSManagedObjectModel) {
        let plan: StorePlan
        do throws(Unsatisfiable) {
            plan = try StorePlan(indexed, rows: rows)
        } catch {
            throw inputFailure(.unsatisfiable(error), version: version, path: version.path)
        }
        return (plan, try version.managedObjectModel(indexed))
    }

    private static func inputFailure(
        _ failure: StoreMaker.Failure, version: ModelSet.Version, path: String
    ) -> InputFailure {
        switch failure {
        case .unsatisfiable(let error): version.failure([error.finding])
        case .store(let reason):
            InputFailure(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .unsatisfiableModel, "the store cannot be made: \(reason)", file: path,
                        range: .fileStart, help: "Nothing was changed.")
                ],
                exitCode: .couldNotRun)
        }
    }
}
