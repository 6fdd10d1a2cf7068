internal import CoreData
internal import Diagnostics
internal import ModelMigration
internal import ModelSchema
package import ModelcDriver

/// `modelc store diff`: which objects of two stores differ.
package struct StoreDiffCommand: Sendable {
    /// The form of the output.
    package enum Format: String, CaseIterable, Sendable {
        /// For people.
        case text
        /// For programs.
        case json
    }

    /// How objects are found in the other store.
    package enum Match: String, CaseIterable, Sendable {
        /// By their primary keys.
        case primaryKey = "primary-key"
        /// By the values of their uniqueness constraint; by primary key where an entity has none.
        case constraints
    }

    /// The path of the first store.
    package var oldPath: String
    /// The path of the second store.
    package var newPath: String
    /// How objects are found in the other store.
    package var match = Match.primaryKey
    /// Attributes that identify objects, `Entity.attribute`.
    package var keys: [String] = []
    /// Models of stores that do not hold theirs.
    package var models: [String] = []
    /// The form of the output.
    package var format = Format.text

    /// Creates a command.
    package init(oldPath: String, newPath: String) {
        self.oldPath = oldPath
        self.newPath = newPath
    }

    /// Runs the command; exit code 1 means that the stores differ.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { _ throws(InputFailure) in
            let old = try StoreSide(oldPath, models: models, environment)
            let new = try StoreSide(newPath, models: models, environment)
            let match = StoreMatch(old.model, new.model)
            var comparison = StoreComparison(old, new, match, keys: try chosenKeys(old.model, match))
            let difference: StoreDifference
            do {
                difference = try comparison.run()
            } catch let error as StoreComparison.AmbiguousKey {
                throw Self.failure(.ambiguousKey, error.message, error.path, "Choose another --key.")
            } catch {
                let failedPath = (error as? StoreContents.Failure)?.path
                throw failedPath == environment.files.systemPath(newPath) ? new.failure(error) : old.failure(error)
            }
            switch format {
            case .text: environment.output(StoreDiffText(difference: difference).text)
            case .json: environment.output(StoreDiffJSON(difference: difference).value.text + "\n")
            }
            return difference.isEmpty ? .success : .findings
        }
    }

    /// How objects are found, by entity of the first model.
    private func chosenKeys(
        _ model: IndexedModel, _ match: StoreMatch
    ) throws(InputFailure) -> [String: StoreComparison.Key] {
        var result: [String: StoreComparison.Key] = [:]
        if self.match == .constraints {
            for pair in match.entities {
                if let names = Self.constraint(of: pair, model) { result[pair.old.name] = .attributes(names) }
            }
        }
        for key in keys {
            let parts = key.split(separator: ".", maxSplits: 1).map(String.init)
            guard parts.count == 2, let entity = model.entities[parts[0]],
                case .attribute(let attribute)? = entity.properties[parts[1]]?.property, !attribute.isTransient
            else {
                throw Self.failure(
                    .noSuchEntity, "“\(key)” is not a stored attribute of the model", oldPath,
                    "Write --key Entity.attribute.")
            }
            for name in model.entityNames where model.isEntity(name, kindOf: entity.name) {
                result[name] = .attributes([parts[1]])
            }
        }
        return result
    }

    /// The first uniqueness constraint of an entity or its ancestors that has stored attributes only.
    private static func constraint(of pair: StoreMatch.EntityPair, _ model: IndexedModel) -> [String]? {
        for owner in [pair.old.name] + pair.old.ancestors {
            for constraint in model.entities[owner]?.entity.uniquenessConstraints ?? [] {
                let names = constraint.properties.map(\.name)
                if !names.isEmpty, names.allSatisfy({ name in pair.attributes.contains { $0.old == name } }) {
                    return names
                }
            }
        }
        return nil
    }

    private static func failure(
        _ rule: RuleID, _ message: String, _ path: String, _ help: String
    ) -> InputFailure {
        InputFailure(
            diagnostics: [Diagnostic(.error, rule: rule, message, file: path, range: .fileStart, help: help)],
            exitCode: .couldNotRun)
    }
}
