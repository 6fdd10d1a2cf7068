/// What to generate of a model, and how.
package struct GenerationOptions: Sendable {
    /// Which files are made for an entity.
    package enum Mode: String, CaseIterable, Sendable {
        /// What Xcode makes while it builds: by each entity's codegen mode, and the model's own file.
        case build
        /// What Xcode's menu "Create NSManagedObject Subclass…" makes: class and properties of Manual/None entities.
        case manual
    }

    /// What the code runs with.
    package enum Flavour: String, CaseIterable, Sendable {
        /// Apple's Core Data: the files that Xcode writes.
        case xcode
        /// Apple's Core Data on Apple's platforms, modelc's elsewhere: one file for the model.
        case portable
    }

    /// What the code runs with.
    package var flavour: Flavour
    /// The style of the output.
    package var style: CodeStyle
    /// The access level of declarations.
    package var access: AccessLevel
    /// Which files are made.
    package var mode: Mode
    /// The names of the entities to generate; empty for all.
    package var entityNames: [String]
    /// The language of the code.
    package var language = CodeLanguage.swift
    /// The style of Objective-C.
    package var objectiveCStyle = ObjectiveCStyle.xcode13
    /// What is written beyond Xcode's code.
    package var features: Set<CodeFeature> = []
    /// How imports are written; nil for the way of the style.
    package var imports: ImportStyle?
    /// The isolation of declarations; nil for that of the style.
    package var isolation: IsolationStyle?
    /// What the enumerations of property names are called.
    package var keysStyle = KeysStyle.nested
    /// Whether the model's file declares `ManagedID` if typed object IDs are requested. Another file of the module may have it.
    package var declaresManagedID = true

    /// Makes options; the defaults are Xcode's newest build-time output for all entities.
    package init(
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
package struct GenerationSource: Sendable {
    /// The model's name, which names the `+CoreDataModel` file: the bundle's name without extension.
    package var modelName: String
    /// The file name of the model, for the header: `Books.xcdatamodeld`.
    package var fileName: String

    /// Creates a source.
    package init(modelName: String, fileName: String) {
        self.modelName = modelName
        self.fileName = fileName
    }
}
