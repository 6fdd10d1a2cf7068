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
