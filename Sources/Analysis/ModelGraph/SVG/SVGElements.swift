/// Writes numbers and shapes of SVG.
enum SVGElements {
    /// Returns a coordinate with at most one decimal.
    static func number(_ value: Double) -> String {
        guard value.isFinite, abs(value) < 1e12 else { return "0" }
        let tenths = Int((value * 10).rounded())
        let sign = tenths < 0 ? "-" : ""
        let whole = "\(sign)\(abs(tenths) / 10)"
        return tenths % 10 == 0 ? whole : "\(whole).\(abs(tenths) % 10)"
    }

    /// Returns a line of text, which is escaped here.
    static func text(_ text: String, x: Double, y: Double, classes: String) -> String {
        "<text x=\"\(number(x))\" y=\"\(number(y))\" class=\"\(classes)\">\(SafeText.xml(text))</text>"
    }

    static func path(_ data: String, classes: String) -> String {
        "<path d=\"\(data)\" class=\"\(classes)\"/>"
    }

    /// Returns the data of a path along points, with rounded corners.
    static func rounded(_ points: [Point], radius: Double = 6) -> String {
        guard let first = points.first, let last = points.last else { return "" }
        var data = "M\(number(first.x)) \(number(first.y))"
        for index in points.indices.dropFirst().dropLast() {
            let (before, corner, after) = (points[index - 1], points[index], points[index + 1])
            let start = toward(before, from: corner, radius)
            let end = toward(after, from: corner, radius)
            data += "L\(number(start.x)) \(number(start.y))"
            data += "Q\(number(corner.x)) \(number(corner.y)) \(number(end.x)) \(number(end.y))"
        }
        return data + "L\(number(last.x)) \(number(last.y))"
    }

    /// Returns the point at a distance from a corner toward another point, at most halfway.
    private static func toward(_ other: Point, from corner: Point, _ radius: Double) -> Point {
        let (dx, dy) = (other.x - corner.x, other.y - corner.y)
        let length = max(abs(dx), abs(dy))
        guard length > 0 else { return corner }
        let share = min(radius, length / 2) / length
        return Point(x: corner.x + dx * share, y: corner.y + dy * share)
    }
}
