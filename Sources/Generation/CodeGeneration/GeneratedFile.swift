/// A file of generated code, in memory.
package struct GeneratedFile: Hashable, Sendable {
    /// The content of a file.
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
    /// The kind of content.
    package var kind: Kind
    package var text: String
    /// Whether modelc may overwrite the file. A class generated for a Manual/None entity belongs to the user once it
    /// exists.
    package var isRegenerated: Bool
}
