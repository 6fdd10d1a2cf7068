/// Draws the ends of lines: crow's feet, triangles, and their labels.
struct SVGLine {
    /// The point where a line meets a box.
    struct Meeting {
        /// The point on the box's side.
        var point: Point
        /// 1 if the line leaves to the right, -1 if to the left.
        var direction: Double

        /// Creates the start of a route; `nil` for a route without extent.
        init?(_ route: [Point]) {
            guard route.count > 1 else { return nil }
            point = route[0]
            direction = route[1].x < route[0].x ? -1 : 1
        }
    }

    static let textSize = 11.0
    /// The length of the longest mark.
    static let markLength = 20.0
    private static let widest = 190.0

    /// Returns the label at the destination of a relationship.
    static func label(_ end: GraphRelationship.End) -> String {
        let words = [end.isOrdered ? "{ordered}" : nil, end.limits.map { "[\($0)]" }].compactMap { $0 }
        // The name is shortened in favor of the suffix.
        let suffix = words.map { " " + $0 }.joined()
        let room = max(60, widest - TextMetrics.width(suffix, size: textSize))
        return TextMetrics.fitted(SafeText.line(end.mark.marked(end.name)), width: room, size: textSize) + suffix
    }

    /// Returns the label at the end of a cut line.
    static func cutLabel(_ end: GraphRelationship.End, _ entityName: String) -> String {
        TextMetrics.fitted(
            "\(SafeText.line(end.mark.marked(end.name))) → \(SafeText.line(entityName))", width: widest, size: textSize)
    }

    /// Returns the label at the destination of a cut line without an inverse.
    static func cutArrival(_ end: GraphRelationship.End, _ entityName: String) -> String {
        TextMetrics.fitted(
            "← \(SafeText.line(entityName)).\(SafeText.line(end.name))", width: widest, size: textSize)
    }

    /// Returns the width that a label and the mark before it need.
    static func room(_ label: String) -> Double {
        (markLength + 4 + TextMetrics.width(label, size: textSize)).rounded(.up)
    }

    /// Returns a label above the line, beside the mark.
    static func labelElement(_ label: String, at meeting: Meeting, mark: GraphMark? = nil) -> String {
        guard !label.isEmpty else { return "" }
        return SVGElements.text(
            label, x: meeting.point.x + meeting.direction * (markLength + 2), y: meeting.point.y - 4,
            classes: (meeting.direction < 0 ? "e z" : "e") + (mark.map { " x\($0.kind.letter)" } ?? "")) + "\n"
    }

    /// Returns the crow's foot for the cardinality of a relationship.
    static func mark(_ end: GraphRelationship.End, at meeting: Meeting, classes: String) -> String {
        let number = SVGElements.number
        let (x, y, d) = (meeting.point.x, meeting.point.y, meeting.direction)
        func bar(_ distance: Double) -> String { "M\(number(x + d * distance)) \(number(y - 5))v10" }
        var data = ""
        if end.isToMany {
            data += "M\(number(x)) \(number(y - 6))L\(number(x + d * 11)) \(number(y))L\(number(x)) \(number(y + 6))"
        } else {
            data += bar(7)
        }
        if !end.isOptional { data += bar(end.isToMany ? 15 : 11) }
        var text = SVGElements.path(data, classes: "l" + classes) + "\n"
        if end.isOptional {
            let center = x + d * (end.isToMany ? 15 : 12)
            text += "<circle cx=\"\(number(center))\" cy=\"\(number(y))\" r=\"3.5\" class=\"k\(classes)\"/>\n"
        }
        return text
    }

    /// Returns the triangle at a parent.
    static func triangle(at meeting: Meeting) -> String {
        let number = SVGElements.number
        let (x, y, d) = (meeting.point.x, meeting.point.y, meeting.direction)
        let back = number(x + d * 13)
        return SVGElements.path(
            "M\(number(x)) \(number(y))L\(back) \(number(y - 7))L\(back) \(number(y + 7))z", classes: "tri") + "\n"
    }
}
