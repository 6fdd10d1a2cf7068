/// A file of generated code, in memory.
package struct GeneratedFile: Hashable, Sendable {
    /// What the file holds.
    package enum Kind: Hashable, Sendable {
        /// The class of an entity, `<Class>+CoreDataClass.swift`.
        case classDefinition
        /// The properties of an entity, `<Class>+CoreDataProperties.swift`.
        case properties
        /// The model's own file, `<Model>+CoreDataModel.swift`.
        case model
    }

    /// The file's name, without a folder.
    package var name: String
    /// What it holds.
    package var kind: Kind
    /// Its text.
    package var text: String
    /// Whether modelc may write the file again. A class made for a Manual/None entity belongs to the user once it
    /// exists.
    package var isRegenerated: Bool
}
