internal import Foundation

/// The statements that create the tables of a new store, without a store.
package enum SchemaStatements {
    /// The error for a model that the database cannot represent.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) {
            self.description = description
        }
    }

    /// Returns the statements of a SQLite store, in the order in which it runs them.
    ///
    /// - Parameter configuration: The configuration whose entities the store contains; `nil` for all.
    /// - Throws: `Failure`.
    package static func sqlite(_ model: NSManagedObjectModel, configuration: String?) throws -> [String] {
        do {
            return try SchemaBuilder.schema(of: entities(model, configuration)).statements
        } catch let failure as SchemaBuilder.Failure {
            throw Failure(description: failure.description)
        }
    }

    /// Returns the entities of a configuration; `nil` for all.
    ///
    /// - Throws: `Failure` if the model has no such configuration.
    package static func entities(
        _ model: NSManagedObjectModel, _ configuration: String?
    ) throws -> [NSEntityDescription] {
        guard let entities = model.entities(forConfigurationName: configuration) else {
            let names = model.configurations.sorted().map { "“\($0)”" }.joined(separator: ", ")
            throw Failure(
                description: "the model has no configuration “\(configuration ?? "")”; it has "
                    + (names.isEmpty ? "none" : names))
        }
        return entities
    }
}
