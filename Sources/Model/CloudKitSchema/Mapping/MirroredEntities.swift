package import ModelSchema

/// The entities of a model in a store that is mirrored with CloudKit.
///
/// These are the entities of a requested configuration, or else of those marked “Used with CloudKit”, or else all
/// entities (Documentation/Formats/CloudKitSchema.md, 3).
package struct MirroredEntities: Sendable {
    /// The entities, in the order of the model, without duplicate names.
    package let entities: [Entity]
    /// The configurations that the entities are in; empty if all entities of the model are mirrored.
    package let configurations: [Configuration]

    /// The name that Xcode shows for the configuration with all entities.
    private static let defaultName = "Default"

    /// Finds the entities of a model.
    ///
    /// - Parameter configuration: The name of the configuration that is mirrored, or `nil` for those that the model
    ///   marks.
    /// - Returns: `nil` if the model has no configuration with the name.
    package init?(_ model: Model, configuration name: String? = nil) {
        if let name {
            configurations = model.configurations.filter { $0.name == name }
            guard !configurations.isEmpty || name == Self.defaultName else { return nil }
        } else {
            configurations = model.configurations.filter { $0.usedWithCloudKit == true }
        }
        let members = Set(configurations.flatMap { $0.members.map(\.entityName) })
        var seen: Set<String> = []
        let isEverything = configurations.isEmpty
        entities = model.entities.filter { entity in
            (isEverything || members.contains(entity.name)) && seen.insert(entity.name).inserted
        }
    }
}
