/// A file of generated code, in memory.
public struct GeneratedFile: Hashable, Sendable {
    /// What the file holds.
    public enum Kind: Hashable, Sendable {
        /// The class of an entity, `<Class>+CoreDataClass.swift`.
        case classDefinition
        /// The properties of an entity, `<Class>+CoreDataProperties.swift`.
        case properties
        /// The model's own file, `<Model>+CoreDataModel.swift`.
        case model
    }

    /// The file's name, without a folder.
    public var name: String
    /// What it holds.
    public var kind: Kind
    /// Its text.
    public var text: String
    /// Whether modelc may write the file again. A class made for a Manual/None entity belongs to the user once it
    /// exists.
    public var isRegenerated: Bool
}
