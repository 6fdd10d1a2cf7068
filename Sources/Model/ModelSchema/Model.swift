/// One version of a Core Data model as plain values: the content of an `.xcdatamodel`, without its formatting.
///
/// Everything is in the order of the source, which generated code keeps (Documentation/Formats/XcodeSwift.md, 3.1).
package struct Model: Hashable, Sendable {
    /// The name of the version: its file name without extension.
    package var name: String
    package var entities: [Entity]
    /// The model's fetch request templates.
    package var fetchRequests: [FetchRequestTemplate]
    /// The named configurations. The default configuration, which holds every entity, is never listed.
    package var configurations: [Configuration]
    /// The composite attribute types (Xcode 15 and later).
    package var composites: [CompositeType]
    /// The positions of the entities on the canvas of Xcode's graph editor (written up to Xcode 13).
    package var canvas: [CanvasElement]
    /// The tools that the file was made with and for.
    package var settings: ModelSettings
    /// Items that this library does not recognize.
    package var unrecognized: [UnrecognizedItem]
    /// The location of the root element in the source.
    package var origin: ElementOrigin?

    /// Creates an empty model.
    package init(name: String) {
        self.name = name
        entities = []
        fetchRequests = []
        configurations = []
        composites = []
        canvas = []
        settings = ModelSettings()
        unrecognized = []
    }

    /// Returns the first entity with a name, or `nil`.
    package func entity(named name: String) -> Entity? {
        entities.first { $0.name == name }
    }
}

/// A named set of entities that can have a separate store.
package struct Configuration: Hashable, Sendable {
    /// A mention of an entity in a configuration.
    package struct Member: Hashable, Sendable {
        /// The entity's name.
        package var entityName: String
        /// The location in the source.
        package var origin: ElementOrigin?

        /// Creates a member.
        package init(entityName: String, origin: ElementOrigin? = nil) {
            self.entityName = entityName
            self.origin = origin
        }
    }

    /// The configuration's name.
    package var name: String
    /// The entities in it.
    package var members: [Member]
    /// Whether its store is synchronized with CloudKit, or `nil` if the source does not specify it.
    package var usedWithCloudKit: Bool?
    /// Items that this library does not recognize.
    package var unrecognized: [UnrecognizedItem]
    /// The location in the source.
    package var origin: ElementOrigin?

    /// Creates an empty configuration.
    package init(name: String) {
        self.name = name
        members = []
        unrecognized = []
    }
}

/// A composite attribute type: a named group of attributes (Xcode 15 and later). Composites nest.
package struct CompositeType: Hashable, Sendable {
    /// The type's name, which attributes of type Composite refer to.
    package var name: String
    /// Its parts.
    package var attributes: [Attribute]
    /// Items that this library does not recognize.
    package var unrecognized: [UnrecognizedItem]
    /// The location in the source.
    package var origin: ElementOrigin?

    /// Creates an empty composite type.
    package init(name: String) {
        self.name = name
        attributes = []
        unrecognized = []
    }
}

/// An entity's box on the canvas of Xcode's graph editor. It has no meaning to Core Data.
package struct CanvasElement: Hashable, Sendable {
    /// The entity's name.
    package var name: String
    /// The left edge, as written.
    package var positionX: String
    /// The upper edge, as written.
    package var positionY: String
    /// The width, as written.
    package var width: String
    /// The height, as written.
    package var height: String
    /// The location in the source.
    package var origin: ElementOrigin?

    /// Creates a box.
    package init(name: String, positionX: String, positionY: String, width: String, height: String) {
        self.name = name
        self.positionX = positionX
        self.positionY = positionY
        self.width = width
        self.height = height
    }
}

/// The tools that a model was made with and for, from the root element (Documentation/Formats/ModelSource.md, 2.1).
///
/// Values are kept as written; `nil` means that the source does not have the attribute.
package struct ModelSettings: Hashable, Sendable {
    /// A name that Xcode 4 to 6 wrote; usually empty and never the model's name.
    package var legacyName: String?
    /// The document type, `com.apple.IDECoreDataModeler.DataModel` in Xcode's files.
    package var type: String?
    /// The version of the document format, `1.0` in all files seen.
    package var documentVersion: String?
    /// The build of Xcode's model editor that saved the file last.
    package var lastSavedToolsVersion: String?
    /// The number before the first dot of ``lastSavedToolsVersion``; `nil` if there is none.
    package var toolsMajorVersion: Int? { lastSavedToolsVersion?.split(separator: ".").first.flatMap { Int($0) } }
    /// The macOS build it was saved on.
    package var systemVersion: String?
    /// The oldest Xcode that the file is meant for, `Automatic` or `Xcode N`.
    package var minimumToolsVersion: String?
    /// The language that Xcode generates classes in: `Swift` or `Objective-C`.
    package var sourceLanguage: String?
    /// Whether the model is meant for CloudKit.
    package var usedWithCloudKit: Bool?
    /// Whether the model is meant for SwiftData.
    package var usedWithSwiftData: Bool?
    /// The identifier that the model's author gave the version; often empty.
    package var userDefinedModelVersionIdentifier: String?
    /// The macOS deployment target of Xcode 4 to 6, always `Automatic`.
    package var macOSVersion: String?
    /// The iOS deployment target of Xcode 4 to 6, always `Automatic`.
    package var iOSVersion: String?

    /// Creates settings without values.
    package init() {}
}
