/// What to generate of a model, and how.
public struct GenerationOptions: Sendable {
    /// Which files are made for an entity.
    public enum Mode: String, CaseIterable, Sendable {
        /// What Xcode makes while it builds: by each entity's codegen mode, and the model's own file.
        case build
        /// What Xcode's menu "Create NSManagedObject Subclass…" makes: class and properties of Manual/None entities.
        case manual
    }

    /// What the code runs with.
    public enum Flavour: String, CaseIterable, Sendable {
        /// Apple's Core Data: the files that Xcode writes.
        case xcode
        /// Apple's Core Data on Apple's platforms, modelc's elsewhere: one file for the model.
        case portable
    }

    /// What the code runs with.
    public var flavour: Flavour
    /// The style of the output.
    public var style: CodeStyle
    /// The access level of declarations.
    public var access: AccessLevel
    /// Which files are made.
    public var mode: Mode
    /// The names of the entities to generate; empty for all.
    public var entityNames: [String]

    /// Makes options; the defaults are Xcode's newest build-time output for all entities.
    public init(
        flavour: Flavour = .xcode, style: CodeStyle = .newest, access: AccessLevel = .public, mode: Mode = .build,
        entityNames: [String] = []
    ) {
        self.flavour = flavour
        self.style = style
        self.access = access
        self.mode = mode
        self.entityNames = entityNames
    }
}

/// What generated files say of the model they come from.
public struct GenerationSource: Sendable {
    /// The model's name, which names the `+CoreDataModel` file: the bundle's name without extension.
    public var modelName: String
    /// The file name of the model, for the header: `Books.xcdatamodeld`.
    public var fileName: String

    /// Makes a source.
    public init(modelName: String, fileName: String) {
        self.modelName = modelName
        self.fileName = fileName
    }
}
