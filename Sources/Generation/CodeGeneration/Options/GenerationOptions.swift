/// The options for the code of a model.
package struct GenerationOptions: Sendable {
    /// The choice of files for an entity.
    package enum Mode: String, CaseIterable, Sendable {
        /// The files that Xcode generates in a build: those of each entity's codegen setting, and the model's own file.
        case build
        /// The files of Xcode's menu item “Create NSManagedObject Subclass…”: class and properties of Manual/None
        /// entities.
        case manual
    }

    /// The Core Data runtime that the code is for.
    package enum Flavor: String, CaseIterable, Sendable {
        /// Apple's Core Data: the files that Xcode writes.
        case xcode
        /// Apple's Core Data on Apple's platforms, modelc's elsewhere: one file for the model.
        case portable
    }

    /// The Core Data runtime that the code is for.
    package var flavor: Flavor
    /// The module that the code is part of; `nil` if it is not known.
    package var moduleName: String?
    /// The style of the output.
    package var style: CodeStyle
    /// The access level of declarations.
    package var access: AccessLevel
    /// The choice of files.
    package var mode: Mode
    /// The names of the entities to generate; empty for all.
    package var entityNames: [String]
    package var language = CodeLanguage.swift
    /// The style of Objective-C.
    package var objectiveCStyle = ObjectiveCStyle.xcode13
    /// The features to write beyond Xcode's code.
    package var features: Set<CodeFeature> = []
    /// The style of imports; `nil` for that of `style`.
    package var imports: ImportStyle?
    /// The isolation of declarations; `nil` for that of `style`.
    package var isolation: IsolationStyle?
    /// The naming of the enumerations of property names.
    package var keysStyle = KeysStyle.nested
    /// Whether the model's file declares `ManagedID` if typed object IDs are requested. Another file of the module may
    /// already do so.
    package var declaresManagedID = true

    /// Creates options. The defaults are the build-time output of the newest Xcode for all entities.
    package init(
        flavor: Flavor = .xcode, style: CodeStyle = .newest, access: AccessLevel = .public, mode: Mode = .build,
        entityNames: [String] = []
    ) {
        self.flavor = flavor
        self.style = style
        self.access = access
        self.mode = mode
        self.entityNames = entityNames
    }
}

/// The names of a model in generated files.
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
