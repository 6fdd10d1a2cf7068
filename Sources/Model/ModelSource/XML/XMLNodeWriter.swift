package struct ConflictMarkerStyle: Sendable {
    /// The name of our side.
    package var ours = "ours"
    /// The name of the other side.
    package var theirs = "theirs"
    /// The length of a marker, which is 7 in git by default.
    package var size = 7

    /// Creates git's default style.
    package init() {}

    var start: String { String(repeating: "<", count: size) + " " + ours }
    var middle: String { String(repeating: "=", count: size) }
    var end: String { String(repeating: ">", count: size) + " " + theirs }
}

/// Writes nodes, a line for each tag.
struct XMLNodeWriter {
    let markers: ConflictMarkerStyle
    /// The encoding that the text will be written in.
    let encoding: TextEncoding
    var lines: [String] = []

    init(markers: ConflictMarkerStyle, encoding: TextEncoding) {
        self.markers = markers
        self.encoding = encoding
    }

    /// Adds the lines of an element.
    mutating func write(_ node: XMLNode, depth: Int) {
        switch node.conflict {
        case nil:
            lines.append(startTag(node.name, attributes: node.attributes, depth: depth, isEmpty: node.items.isEmpty))
            writeInside(node, depth: depth)
        case .startTag(let theirs):
            lines.append(markers.start)
            lines.append(startTag(node.name, attributes: node.attributes, depth: depth, isEmpty: node.items.isEmpty))
            lines.append(markers.middle)
            lines.append(startTag(node.name, attributes: theirs, depth: depth, isEmpty: node.items.isEmpty))
            lines.append(markers.end)
            writeInside(node, depth: depth)
        case .element(let theirs):
            lines.append(markers.start)
            writeDecided(node, depth: depth)
            lines.append(markers.middle)
            for other in theirs { writeDecided(other, depth: depth) }
            lines.append(markers.end)
        case .removedByUs:
            lines.append(markers.start)
            lines.append(markers.middle)
            writeDecided(node, depth: depth)
            lines.append(markers.end)
        }
    }

    private mutating func writeDecided(_ node: XMLNode, depth: Int) {
        var node = node
        node.conflict = nil
        write(node, depth: depth)
    }

    private mutating func writeInside(_ node: XMLNode, depth: Int) {
        guard !node.items.isEmpty else { return }
        for item in node.items {
            switch item {
            case .element(let child): write(child, depth: depth + 1)
            case .remark(let markup): lines.append(Self.indent(depth + 1) + markup)
            case .text(let text):
                lines.append(Self.indent(depth + 1) + encoding.withCharacterReferences(XMLWriter.escapedText(text)))
            }
        }
        lines.append(Self.indent(depth) + "</\(node.name)>")
    }

    private func startTag(_ name: String, attributes: [XMLNode.Attribute], depth: Int, isEmpty: Bool) -> String {
        var text = Self.indent(depth) + "<" + name
        for attribute in attributes {
            let value = encoding.withCharacterReferences(XMLWriter.escaped(attribute.value))
            let written = attribute.hasPlainGreaterThan ? value.replacing("&gt;", with: ">") : value
            text += " \(attribute.name)=\"\(written)\""
        }
        return text + (isEmpty ? "/>" : ">")
    }

    private static func indent(_ depth: Int) -> String { String(repeating: "    ", count: depth) }
}
