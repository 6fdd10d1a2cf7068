/// A point in the picture; y increases downward.
struct Point: Hashable, Sendable {
    var x: Double
    var y: Double
}

/// An axis-aligned rectangle.
struct Rect: Hashable, Sendable {
    var x: Double
    var y: Double
    var width: Double
    var height: Double

    var maxX: Double { x + width }
    var maxY: Double { y + height }

    /// Returns whether the two rectangles have more than an edge in common.
    func overlaps(_ other: Rect) -> Bool {
        x < other.maxX && other.x < maxX && y < other.maxY && other.y < maxY
    }

    func moved(by offset: Point) -> Rect {
        Rect(x: x + offset.x, y: y + offset.y, width: width, height: height)
    }
}

/// The size of an item that has no position yet.
struct Size: Hashable, Sendable {
    var width: Double
    var height: Double
}

/// The distances in the layout. All of them are integers, so that lines fall on whole pixels.
enum Spacing {
    /// Between lines that meet the same side of a box; there is room for a label above each.
    static let port = 18.0
    /// Between the upper edge of a box and its first line, so that its label ends below that edge.
    static let portMargin = 16.0
    /// Between a box and the box below it.
    static let box = 28.0
    /// Between a box and a line that passes it.
    static let boxToLine = 14.0
    /// Between lines that pass side by side.
    static let line = 10.0
    /// Between the vertical parts of lines.
    static let track = 10.0
    /// From a box to the first vertical part if there is no label.
    static let clear = 26.0
    /// Between components.
    static let component = 48.0
}
