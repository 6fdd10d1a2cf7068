/// Writes a graph in the DOT language. Graphviz lays it out.
struct DOTWriter {
    private let title: String
    /// The graphs with the prefixes of their nodes' names. Each of several graphs gets a frame.
    private let sides: [(graph: ModelGraph, prefix: String)]

    init(_ graph: ModelGraph) {
        title = graph.title
        sides = [(graph, "e")]
    }

    init(_ comparison: GraphComparison) {
        title =
            "\(comparison.old.title) → \(comparison.new.title)"
            + (comparison.isEmpty ? ": \(GraphComparison.emptyText)" : "")
        sides = [(comparison.old, "old"), (comparison.new, "new")]
    }

    func text() -> String {
        var text = """
            digraph model {
            graph [label=\(SafeText.quoted(title)), labelloc=t, rankdir=LR, nodesep=0.4, ranksep=0.8, \
            fontname="Helvetica", fontsize=18]
            node [shape=plain, fontname="Helvetica", fontsize=11]
            edge [fontname="Helvetica", fontsize=10, color="#4f6b8a", fontcolor="#3b4754", dir=both]

            """
        for (graph, prefix) in sides {
            guard sides.count > 1 else {
                text += Self.lines(graph, prefix)
                continue
            }
            text +=
                "subgraph cluster_\(prefix) {\nlabel=\(SafeText.quoted(graph.title))\nfontsize=14\ncolor=\"#9aa7b4\"\n"
            text += Self.lines(graph, prefix) + "}\n"
        }
        return text + "}\n"
    }

    private static func lines(_ graph: ModelGraph, _ prefix: String) -> String {
        var text = ""
        for (index, entity) in graph.entities.enumerated() { text += node(entity, "\(prefix)\(index)") }
        for line in graph.inheritances {
            text +=
                "\(prefix)\(line.parent) -> \(prefix)\(line.child) "
                + "[arrowtail=empty, arrowhead=none, color=\"#8250df\"]\n"
        }
        for line in graph.relationships {
            // Names at the ends would overlap the boxes: Graphviz reserves room only for labels in the middle.
            var label = Self.label(line.forward)
            var attributes = ["arrowhead=\(arrow(line.forward))"]
            if let inverse = line.inverse {
                label += " ⇄ " + Self.label(inverse)
                attributes.append("arrowtail=\(arrow(inverse))")
            } else {
                attributes += ["arrowtail=none", "style=dashed"]
            }
            if let kind = line.markKind { attributes += ["color=\"\(kind.stroke)\"", "penwidth=2"] }
            attributes.append("label=\(SafeText.quoted(label))")
            text += "\(prefix)\(line.source) -> \(prefix)\(line.target) [\(attributes.joined(separator: ", "))]\n"
        }
        return text
    }

    /// Returns the arrow of an end as a crow's foot; the shape nearest to the box comes first.
    private static func arrow(_ end: GraphRelationship.End) -> String {
        (end.isToMany ? "crow" : "tee") + (end.isOptional ? "odot" : "tee")
    }

    private static func label(_ end: GraphRelationship.End) -> String {
        let words = [end.mark.marked(end.name), end.isOrdered ? "{ordered}" : nil, end.limits.map { "[\($0)]" }]
        return words.compactMap { $0 }.joined(separator: " ")
    }

    private static func node(_ entity: GraphEntity, _ identifier: String) -> String {
        let plain = entity.role == .missing ? "#fdebea" : entity.isAbstract ? "#efe7fb" : "#e4edf8"
        let color = entity.mark?.kind.fill ?? plain
        let border = entity.mark?.kind.stroke ?? (entity.role == .missing ? "#cf222e" : "#9aa7b4")
        var name = SafeText.xml(entity.mark.marked(entity.shownName))
        name = entity.isAbstract ? "<B><I>\(name)</I></B>" : "<B>\(name)</B>"
        if let stereotype = entity.stereotype { name = "«\(stereotype)»<BR/>" + name }
        var table =
            "<TABLE BORDER=\"1\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"4\" COLOR=\"\(border)\">"
            + "<TR><TD COLSPAN=\"2\" BGCOLOR=\"\(color)\">\(name)</TD></TR>"
        for row in entity.rows {
            let type = SafeText.xml(row.type) + (row.isOptional ? "?" : "")
            // An empty cell is an error in Graphviz.
            var name = SafeText.xml(row.mark.marked(row.name.isEmpty ? "?" : row.name))
            if row.isTransient { name = "<I>\(name)</I>" }
            let area = row.mark.map { " BGCOLOR=\"\($0.kind.fill)\"" } ?? ""
            table +=
                "<TR><TD ALIGN=\"LEFT\"\(area)>\(name)</TD><TD ALIGN=\"RIGHT\"\(area)><FONT COLOR=\"#59636e\">\(type)</FONT></TD></TR>"
        }
        return "\(identifier) [label=<\(table)</TABLE>>]\n"
    }
}
