internal import CoreData
internal import Diagnostics
internal import ModelMigration
internal import ModelSchema
package import ModelcDriver
internal import StoreFile

extension StoreDiffCommand {
    /// The format of the output.
    package enum Format: String, CaseIterable, Sendable {
        /// Human-readable text.
        case text
        /// JSON, for programs.
        case json
    }

    /// The way to find objects in the other store.
    package enum Match: String, CaseIterable, Sendable {
        /// By their primary keys.
        case primaryKey = "primary-key"
        /// By the values of their uniqueness constraint, or by primary key if an entity has none.
        case constraints
    }

    /// Runs the command. The exit code is 1 if the stores differ.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { _ throws(InputFailure) in
            let difference = try difference(environment)
            switch format {
            case .text: environment.output(StoreDiffText(difference: difference).text)
            case .json: environment.output(StoreDiffJSON(difference: difference).value.text + "\n")
            }
            return difference.isEmpty ? .success : .findings
        }
    }

    /// Compares one state of both stores, although apps may write in the meantime.
    private func difference(_ environment: DriverEnvironment) throws(InputFailure) -> StoreDifference {
        func sides(_ access: DatabaseInspection.Access) throws(InputFailure) -> [StoreSide] {
            [
                try StoreSide(oldPath, models: models, access: access, environment),
                try StoreSide(newPath, models: models, access: access, environment),
            ]
        }
        func open(_ access: DatabaseInspection.Access) throws(InputFailure) -> [StoreSide] {
            // An app may have changed a store while its schema was read.
            do { return try sides(access) } catch { return try sides(access) }
        }
        let difference = try DatabaseInspection.readOneState(
            open: open, isConsistent: { $0.allSatisfy(\.contents.isConsistent) }
        ) { (sides: [StoreSide]) throws(InputFailure) -> StoreDifference in
            try self.difference(old: sides[0], new: sides[1], environment)
        }
        guard let difference else {
            throw Self.failure(
                .notAStore, "a store is being changed while it is read", path: oldPath,
                help: "Try again, or compare a copy.")
        }
        return difference
    }

    private func difference(
        old: StoreSide, new: StoreSide, _ environment: DriverEnvironment
    ) throws(InputFailure) -> StoreDifference {
        let match = StoreMatch(old.model, new.model)
        var comparison = StoreComparison(
            old: old, new: new, match: match, keys: try chosenKeys(old.model, match), includesMissing: true)
        do {
            return try comparison.run()
        } catch let error as StoreComparison.AmbiguousKey {
            throw Self.failure(.ambiguousKey, error.message, path: error.path, help: "Choose another --key.")
        } catch {
            let failedPath = (error as? StoreContents.Failure)?.path
            throw failedPath == environment.files.systemPath(newPath) ? new.failure(error) : old.failure(error)
        }
    }

    /// Returns the keys by entity of the first model.
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
                    .noSuchEntity, "“\(key)” is not a stored attribute of the model", path: oldPath,
                    help: "Write --key Entity.attribute.")
            }
            for name in model.entityNames where model.isEntity(name, kindOf: entity.name) {
                result[name] = .attributes([parts[1]])
            }
        }
        return result
    }

    /// Returns the first uniqueness constraint of an entity or its ancestors that consists of stored attributes.
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
        _ rule: RuleID, _ message: String, path: String, help: String
    ) -> InputFailure {
        InputFailure(
            diagnostics: [Diagnostic(.error, rule: rule, message, file: path, range: .fileStart, help: help)],
            exitCode: .couldNotRun)
    }
}
