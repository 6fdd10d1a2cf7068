/// Writes a graph in the language of Graphviz. Graphviz lays it out.
struct DOTWriter {
    private let graph: ModelGraph

    init(_ graph: ModelGraph) {
        self.graph = graph
    }

    /// The whole text.
    func text() -> String {
        var text = """
            digraph model {
            graph [label=\(Self.quoted(graph.title)), labelloc=t, rankdir=LR, nodesep=0.4, ranksep=0.8, \
            fontname="Helvetica", fontsize=18]
            node [shape=plain, fontname="Helvetica", fontsize=11]
            edge [fontname="Helvetica", fontsize=10, color="#4f6b8a", fontcolor="#3b4754", dir=both]

            """
        for (index, entity) in graph.entities.enumerated() { text += Self.node(entity, index) }
        for line in graph.inheritances {
            text += "e\(line.parent) -> e\(line.child) [arrowtail=empty, arrowhead=none, color=\"#8250df\"]\n"
        }
        for line in graph.relationships {
            // Names at the ends would lie on the boxes: Graphviz keeps room for labels in the middle only.
            var label = Self.label(line.forward)
            var attributes = ["arrowhead=\(Self.arrow(line.forward))"]
            if let inverse = line.inverse {
                label += " ⇄ " + Self.label(inverse)
                attributes.append("arrowtail=\(Self.arrow(inverse))")
            } else {
                attributes += ["arrowtail=none", "style=dashed"]
            }
            attributes.append("label=\(Self.quoted(label))")
            text += "e\(line.source) -> e\(line.target) [\(attributes.joined(separator: ", "))]\n"
        }
        return text + "}\n"
    }

    /// The crow's foot of an end: what is nearest to the box comes first.
    private static func arrow(_ end: GraphRelationship.End) -> String {
        (end.isToMany ? "crow" : "tee") + (end.isOptional ? "odot" : "tee")
    }

    private static func label(_ end: GraphRelationship.End) -> String {
        let words = [end.name, end.isOrdered ? "{ordered}" : nil, end.limits.map { "[\($0)]" }]
        return words.compactMap { $0 }.joined(separator: " ")
    }

    private static func node(_ entity: GraphEntity, _ index: Int) -> String {
        let color = entity.role == .missing ? "#fdebea" : entity.isAbstract ? "#efe7fb" : "#e4edf8"
        let border = entity.role == .missing ? "#cf222e" : "#9aa7b4"
        var name = SafeText.xml(entity.shownName)
        name = entity.isAbstract ? "<B><I>\(name)</I></B>" : "<B>\(name)</B>"
        if let stereotype = entity.stereotype { name = "«\(stereotype)»<BR/>" + name }
        var table =
            "<TABLE BORDER=\"1\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"4\" COLOR=\"\(border)\">"
            + "<TR><TD COLSPAN=\"2\" BGCOLOR=\"\(color)\">\(name)</TD></TR>"
        for row in entity.rows {
            let type = SafeText.xml(row.type) + (row.isOptional ? "?" : "")
            // An empty cell is an error to Graphviz.
            var name = SafeText.xml(row.name.isEmpty ? "?" : row.name)
            if row.isTransient { name = "<I>\(name)</I>" }
            table +=
                "<TR><TD ALIGN=\"LEFT\">\(name)</TD><TD ALIGN=\"RIGHT\"><FONT COLOR=\"#59636e\">\(type)</FONT></TD></TR>"
        }
        return "e\(index) [label=<\(table)</TABLE>>]\n"
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in SafeText.line(text).unicodeScalars {
            // A backslash begins an escape of Graphviz's labels.
            if scalar == "\"" || scalar == "\\" { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
        return result + "\""
    }
}
