internal import CloudKitSchema
package import ModelSchema

/// A version of a model as rules see it, with lookups that many of them need.
package struct LintContext: Sendable {
    /// The version's source.
    package let source: any LintedSource
    package let model: Model
    /// The name of the model: that of the bundle.
    package let modelName: String
    /// The names of all versions in the bundle, in order.
    package let versionNames: [String]
    /// Whether it is the version that the app is built with.
    package let isCurrent: Bool
    /// Whether the rules of the CloudKit profile run.
    package let isForCloudKit: Bool
    /// The entities that are synchronized with CloudKit; `nil` if the rules of CloudKit do not apply.
    let mirrored: MirroredEntities?
    /// The classes declared in the sources of the target; `nil` if no sources were given.
    package let sourceClasses: SourceClasses?
    /// The entities by name, with their inherited properties.
    package let lookup: PropertyLookup

    /// Creates the context of a version.
    ///
    /// - Parameter cloudKitConfiguration: The configuration that is synchronized with CloudKit; `nil` for those that
    ///   the model marks.
    package init(
        source: any LintedSource, modelName: String, versionNames: [String], isCurrent: Bool,
        isForCloudKit: Bool = false, cloudKitConfiguration: String? = nil, sourceClasses: SourceClasses? = nil
    ) {
        self.source = source
        model = source.model
        self.modelName = modelName
        self.versionNames = versionNames
        self.isCurrent = isCurrent
        self.isForCloudKit = isForCloudKit
        self.sourceClasses = sourceClasses
        let isMarked = model.configurations.contains { $0.usedWithCloudKit == true }
        mirrored =
            isForCloudKit || isMarked
            ? MirroredEntities(source.model, configuration: cloudKitConfiguration) : nil
        lookup = PropertyLookup(source.model)
    }

    package var entities: [Entity] { model.entities }

    /// The first entity with each name.
    package var entitiesByName: [String: Entity] { lookup.entitiesByName }

    /// The names of the direct subentities of each entity, in the order of the file.
    package var childNames: [String: [String]] { lookup.childNames }
}

/// The classes that the sources of a target declare.
package struct SourceClasses: Sendable {
    /// A class declaration.
    package struct Declaration: Hashable, Sendable {
        /// The path of the file.
        package var file: String
        /// The line, from 1.
        package var line: Int

        /// Creates a declaration.
        package init(file: String, line: Int) {
            self.file = file
            self.line = line
        }
    }

    /// A property marked `@NSManaged`.
    package struct Property: Hashable, Sendable {
        /// The name of the type without generic arguments; `nil` for a type without a name.
        package var type: String?
        /// Whether the type is optional.
        package var isOptional: Bool
        /// The path of the file.
        package var file: String
        /// The line, from 1.
        package var line: Int

        /// Creates a property.
        package init(type: String?, isOptional: Bool, file: String, line: Int) {
            self.type = type
            self.isOptional = isOptional
            self.file = file
            self.line = line
        }

        /// The location in messages.
        var location: String { "\(file):\(line)" }
    }

    /// The declarations of classes by name.
    package var declarations: [String: Declaration]
    /// The properties of Swift classes by the names of class and property.
    package var properties: [String: [String: Property]] = [:]
    /// The names of all variables in Swift sources.
    package var variables: Set<String> = []
    /// The classes that are declared several times, in different files.
    package var repeated: Set<String> = []
    /// Whether these are all sources of the target, and none is Objective-C.
    package var hasOnlySwift = true
    /// Whether the user has named the sources, rather than modelc found them near the model.
    package var isNamed = true

    /// Creates a value from declarations.
    package init(declarations: [String: Declaration]) {
        self.declarations = declarations
    }
}
