internal import CompiledModel
package import CoreData
internal import Diagnostics
package import ModelMigration
internal import ModelSchema
internal import ModelSource
package import ModelcDriver

extension ModelSet.Version {
    /// Returns the version as the runtime's model.
    ///
    /// - Parameter indexed: The version's model.
    /// - Throws: If the model has errors that only the compiler finds.
    package func managedObjectModel(_ indexed: IndexedModel) throws(InputFailure) -> NSManagedObjectModel {
        let encoded: EncodedModel
        do throws(UncompilableModel) {
            encoded = try EncodedModel(indexed.model)
        } catch {
            throw failure(error.findings)
        }
        do {
            return try NSManagedObjectModel(try DecodedModel(encoded.bytes, name: name))
        } catch {
            throw InputFailure(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .notAModel, "the model cannot be loaded: \(error)", file: path, range: .fileStart)
                ],
                exitCode: .couldNotRun)
        }
    }

    /// Returns findings of the version as a command's failure.
    func failure(_ findings: [ModelFinding]) -> InputFailure {
        InputFailure(
            diagnostics: findings.map(diagnostic(for:)), lines: document.map { [$0.path: $0.lines] } ?? [:],
            exitCode: .findings)
    }

    var entityHashes: EntityVersionHashes? { statedHashes ?? model?.versionHashes().entities }
}
