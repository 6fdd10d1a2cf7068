/// The position and size of an entity on the canvas of the graph editor, as in the `<elements>` of a model.
package struct CanvasBox: Codable, Hashable, Sendable {
    /// The entity's name.
    package var name: String
    /// The distance of the left edge from the canvas's origin, in points.
    package var x: Int
    /// The distance of the upper edge from the canvas's origin, in points; it increases downward.
    package var y: Int
    /// The width, in points.
    package var width: Int
    /// The height, in points.
    package var height: Int

    /// The maximum distance from the origin, and the maximum width and height, that the studio writes.
    static let limit = 1_000_000

    /// Creates a box.
    package init(name: String, x: Int, y: Int, width: Int, height: Int) {
        self.name = name
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// Whether all values are within `limit`.
    var isPlausible: Bool {
        [x, y].allSatisfy { (-Self.limit...Self.limit).contains($0) }
            && [width, height].allSatisfy { (1...Self.limit).contains($0) }
    }
}
