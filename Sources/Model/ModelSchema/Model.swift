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
