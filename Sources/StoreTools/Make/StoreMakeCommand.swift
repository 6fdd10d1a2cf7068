internal import CompiledModel
internal import CoreData
internal import Diagnostics
internal import ModelMigration
internal import ModelSchema
internal import ModelSource
package import ModelcDriver

/// `modelc store make`: a store of a version of a model with legal edge-case data.
package struct StoreMakeCommand: Sendable {
    /// The path of the model, in any form.
    package var modelPath: String
    /// The version; `nil` for the current one.
    package var version: String?
    /// The number of rows of each entity that is not abstract.
    package var rows = 50
    /// What all values follow from.
    package var seed: UInt64 = 1
    /// The path of the store; `nil` for the version's name in the working directory.
    package var outputPath: String?
    /// Whether a store at the path is replaced.
    package var replaces = false
    /// Whether the memory of the rows is freed. A process that ends after the command saves the time.
    package var freesObjects = true

    /// Creates a command.
    package init(modelPath: String) {
        self.modelPath = modelPath
    }

    /// Runs the command.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            let set = try EvolutionReader(files: environment.files).modelSet(modelPath)
            set.addLines(to: &printer)
            let version = try set.version(named: version, option: "--version")
            let indexed = try version.indexedModel()
            printer.print(version.diagnostics.filter { $0.severity > .note })
            let path = outputPath ?? "\(version.name).sqlite"
            let (plan, model) = try Self.prepare(indexed, version, rows: rows)
            let place = try StorePlace(path, replaces: replaces, environment.files)
            let counts: [(entity: String, rows: Int)]
            do throws(StoreMaker.Failure) {
                counts = try StoreMaker(plan, model: model, seed: seed, freesObjects: freesObjects)
                    .write(to: place.temporaryPath)
            } catch {
                place.discard()
                throw Self.inputFailure(error, version, path)
            }
            do throws(FileSystemError) {
                try place.put()
            } catch {
                place.discard()
                throw InputFailure(diagnostics: [error.diagnostic], exitCode: .couldNotRun)
            }
            for reduction in plan.reductions.sorted(by: { $0.entity < $1.entity }) {
                environment.errorLine(
                    "modelc: “\(reduction.entity)” has \(reduction.rows) rows: “\(reduction.relationship)” allows no more"
                )
            }
            let total = counts.reduce(0) { $0 + $1.rows }
            environment.errorLine(
                "modelc: \(path) written, \(total) rows of \(counts.count) entities, version “\(version.name)”, seed \(seed)"
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
            throw inputFailure(.unsatisfiable(error), version, version.path)
        }
        let encoded: EncodedModel
        do throws(UncompilableModel) {
            encoded = try EncodedModel(indexed.model)
        } catch {
            throw failure(error.findings, version)
        }
        do {
            let decoded = try DecodedModel(encoded.bytes, name: version.name)
            return (plan, try NSManagedObjectModel(decoded))
        } catch {
            throw inputFailure(.store("\(error)"), version, version.path)
        }
    }

    private static func failure(_ findings: [ModelFinding], _ version: ModelSet.Version) -> InputFailure {
        InputFailure(
            diagnostics: findings.map(version.diagnostic(for:)),
            lines: version.document.map { [$0.path: $0.lines] } ?? [:], exitCode: .findings)
    }

    private static func inputFailure(
        _ failure: StoreMaker.Failure, _ version: ModelSet.Version, _ path: String
    ) -> InputFailure {
        switch failure {
        case .unsatisfiable(let error): Self.failure([error.finding], version)
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
