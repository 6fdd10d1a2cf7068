/// Writes a graph as a class diagram, the only kind of Mermaid diagram with inheritance. Mermaid lays it out.
struct MermaidWriter {
    private let title: String
    /// The graphs, each in a namespace if there are several.
    private let sides: [(graph: ModelGraph, namespace: String?)]

    init(_ graph: ModelGraph) {
        title = graph.title
        sides = [(graph, nil)]
    }

    init(_ comparison: GraphComparison) {
        title =
            "\(comparison.old.title) → \(comparison.new.title)"
            + (comparison.isEmpty ? ": \(GraphComparison.emptyText)" : "")
        sides = [(comparison.old, "Old"), (comparison.new, "New")]
    }

    func text() -> String {
        var text = """
            ---
            title: \(SafeText.quoted(title))
            ---
            classDiagram
            direction LR

            """
        var taken: Set<String> = []
        for (graph, namespace) in sides {
            let names = Self.identifiers(graph, &taken)
            var classes = ""
            for (entity, name) in zip(graph.entities, names) { classes += Self.lines(entity, name) }
            // Mermaid rejects an empty namespace.
            if let namespace, !classes.isEmpty { classes = "namespace \(namespace) {\n\(classes)}\n" }
            text += classes + Self.relations(graph, names) + Self.styles(graph, names)
        }
        return text
    }

    private static func relations(_ graph: ModelGraph, _ names: [String]) -> String {
        var text = ""
        for line in graph.inheritances { text += "\(names[line.parent]) <|-- \(names[line.child])\n" }
        for line in graph.relationships {
            let (source, target) = (names[line.source], names[line.target])
            let forward = "\"\(line.forward.cardinality)\""
            if let inverse = line.inverse {
                text += "\(source) \"\(inverse.cardinality)\" -- \(forward) \(target)"
                text += " : \(escaped(label(line.forward))) ⇄ \(escaped(label(inverse)))\n"
            } else {
                text += "\(source) --> \(forward) \(target) : \(escaped(label(line.forward)))\n"
            }
        }
        return text
    }

    /// Returns the styles of the borders of entities that differ. Areas keep the colors of the reader's theme.
    private static func styles(_ graph: ModelGraph, _ names: [String]) -> String {
        zip(graph.entities, names).map { entity, name in
            guard let kind = entity.mark?.kind else { return "" }
            return "style \(name) stroke:\(kind.stroke),stroke-width:3px\n"
        }.joined()
    }

    private static func label(_ end: GraphRelationship.End) -> String {
        end.mark.marked(end.name.isEmpty ? "?" : end.name) + (end.isOrdered ? " (ordered)" : "")
    }

    private static func lines(_ entity: GraphEntity, _ identifier: String) -> String {
        var members = entity.stereotype.map { ["<<\($0)>>"] } ?? []
        for row in entity.rows {
            members.append(
                "\(escaped(row.mark.marked(row.name.isEmpty ? "?" : row.name))) : \(escaped(row.type))\(row.isOptional ? "?" : "")"
            )
        }
        let head = "class \(identifier)[\"\(escaped(entity.mark.marked(entity.shownName)))\"]"
        guard !members.isEmpty else { return head + "\n" }
        return head + " {\n" + members.map { "    \($0)\n" }.joined() + "}\n"
    }

    /// Returns a valid Mermaid identifier for each entity: the entity's name if possible.
    private static func identifiers(_ graph: ModelGraph, _ taken: inout Set<String>) -> [String] {
        graph.entities.enumerated().map { index, entity in
            // Mermaid reserves some words, and confuses identifiers with properties of its own objects.
            let own = Self.isPlain(entity.name) ? entity.name : "entity\(index + 1)"
            var name = own
            var number = 2
            while !taken.insert(name).inserted {
                name = "\(own)_\(number)"
                number += 1
            }
            return name
        }
    }

    private static let words: Set<String> = [
        "accDescr", "accTitle", "call", "callback", "class", "classDef", "classDiagram", "click", "constructor",
        "cssClass", "default", "direction", "end", "graph", "href", "link", "namespace", "note", "o", "prototype",
        "style", "title",
    ]

    private static func isPlain(_ name: String) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= 100, isLetter(first), !words.contains(name) else {
            return false
        }
        return name.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_") }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    /// Returns the text with everything that has a meaning in Mermaid or Markdown as one of Mermaid's character
    /// references, which begin with `#`.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in SafeText.line(text).unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", " ", "_", "-", ".", ",", "/", "+", "?":
                result.unicodeScalars.append(scalar)
            default:
                if scalar.isASCII { result += "#\(scalar.value);" } else { result.unicodeScalars.append(scalar) }
            }
        }
        // Mermaid treats “direction LR” anywhere in a line as a statement.
        return result.split(separator: "direction ", omittingEmptySubsequences: false).joined(
            separator: "direction#32;")
    }
}
