/// One version of a Core Data model as plain values: what an `.xcdatamodel` says, without how it is written.
///
/// Everything is in the order of the source, which is the order that generated code keeps (xcode-codegen.md, 3).
public struct Model: Hashable, Sendable {
    /// The name of the version: its file name without extension.
    public var name: String
    /// The entities.
    public var entities: [Entity]
    /// The model's fetch request templates.
    public var fetchRequests: [FetchRequestTemplate]
    /// The named configurations. The default configuration, which holds every entity, is never listed.
    public var configurations: [Configuration]
    /// The composite attribute types (Xcode 15 and later).
    public var composites: [CompositeType]
    /// Where the entities stood on the canvas of Xcode's graph editor (written up to Xcode 13).
    public var canvas: [CanvasElement]
    /// What the file says of the tools it was made with and for.
    public var settings: ModelSettings
    /// Parts that this library does not know.
    public var unrecognized: [UnrecognizedItem]
    /// Where the model's root element stands.
    public var origin: ElementOrigin?

    /// Makes an empty model.
    public init(name: String) {
        self.name = name
        entities = []
        fetchRequests = []
        configurations = []
        composites = []
        canvas = []
        settings = ModelSettings()
        unrecognized = []
    }

    /// The first entity of that name, or nil.
    public func entity(named name: String) -> Entity? {
        entities.first { $0.name == name }
    }
}

/// A named set of entities that can be kept in a store of its own.
public struct Configuration: Hashable, Sendable {
    /// A mention of an entity in a configuration.
    public struct Member: Hashable, Sendable {
        /// The entity's name.
        public var entityName: String
        /// Where it stands.
        public var origin: ElementOrigin?

        /// Makes a member.
        public init(entityName: String, origin: ElementOrigin? = nil) {
            self.entityName = entityName
            self.origin = origin
        }
    }

    /// The configuration's name.
    public var name: String
    /// The entities in it.
    public var members: [Member]
    /// Whether its store is synchronised with CloudKit, or nil when the source does not say.
    public var usedWithCloudKit: Bool?
    /// Parts that this library does not know.
    public var unrecognized: [UnrecognizedItem]
    /// Where it stands.
    public var origin: ElementOrigin?

    /// Makes an empty configuration.
    public init(name: String) {
        self.name = name
        members = []
        unrecognized = []
    }
}

/// A composite attribute type: a named group of attributes (Xcode 15 and later). Composites nest.
public struct CompositeType: Hashable, Sendable {
    /// The type's name, which attributes of type Composite refer to.
    public var name: String
    /// Its parts.
    public var attributes: [Attribute]
    /// Parts that this library does not know.
    public var unrecognized: [UnrecognizedItem]
    /// Where it stands.
    public var origin: ElementOrigin?

    /// Makes an empty composite type.
    public init(name: String) {
        self.name = name
        attributes = []
        unrecognized = []
    }
}

/// An entity's box on the canvas of Xcode's graph editor. It means nothing to Core Data.
public struct CanvasElement: Hashable, Sendable {
    /// The entity's name.
    public var name: String
    /// The left edge, as written.
    public var positionX: String
    /// The upper edge, as written.
    public var positionY: String
    /// The width, as written.
    public var width: String
    /// The height, as written.
    public var height: String
    /// Where it stands.
    public var origin: ElementOrigin?

    /// Makes a box.
    public init(name: String, positionX: String, positionY: String, width: String, height: String) {
        self.name = name
        self.positionX = positionX
        self.positionY = positionY
        self.width = width
        self.height = height
    }
}

/// What the root element says of the tools that a model was made with and for (xcdatamodel-vocabulary.md, 4).
///
/// Values are kept as written; nil means that the source does not have the attribute.
public struct ModelSettings: Hashable, Sendable {
    /// A name that Xcode 4 to 6 wrote; usually empty and never the model's name.
    public var legacyName: String?
    /// The document type, `com.apple.IDECoreDataModeler.DataModel` in Xcode's files.
    public var type: String?
    /// The version of the document format, `1.0` in all files seen.
    public var documentVersion: String?
    /// The build of Xcode's model editor that saved the file last.
    public var lastSavedToolsVersion: String?
    /// The macOS build it was saved on.
    public var systemVersion: String?
    /// The oldest Xcode that the file is meant for, `Automatic` or `Xcode N`.
    public var minimumToolsVersion: String?
    /// The language that Xcode generates classes in: `Swift` or `Objective-C`.
    public var sourceLanguage: String?
    /// Whether the model is meant for CloudKit.
    public var usedWithCloudKit: Bool?
    /// Whether the model is meant for SwiftData.
    public var usedWithSwiftData: Bool?
    /// The identifier that the model's author gave the version; often empty.
    public var userDefinedModelVersionIdentifier: String?
    /// The macOS deployment target of Xcode 4 to 6, always `Automatic`.
    public var macOSVersion: String?
    /// The iOS deployment target of Xcode 4 to 6, always `Automatic`.
    public var iOSVersion: String?

    /// Makes settings that say nothing.
    public init() {}
}
