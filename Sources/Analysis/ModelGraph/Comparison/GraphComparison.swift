package import ModelSchema

/// Two versions of a model as graphs of their differences: the entities with differences, and the names of those
/// related to them.
package struct GraphComparison: Hashable, Sendable {
    /// The old version.
    package var old: ModelGraph
    /// The new version.
    package var new: ModelGraph

    /// Creates a comparison of graphs whose elements are marked.
    package init(old: ModelGraph, new: ModelGraph) {
        self.old = old
        self.new = new
    }

    /// Whether neither side has anything to show.
    var isEmpty: Bool { old.entities.isEmpty && new.entities.isEmpty }

    /// The text of a picture without boxes.
    static let emptyText = "No entity differs."

    /// The kinds of differences that the comparison shows, in the order of legends.
    var kinds: [GraphMark.Kind] {
        var kinds: Set<GraphMark.Kind> = []
        for graph in [old, new] {
            for entity in graph.entities {
                if let kind = entity.mark?.kind { kinds.insert(kind) }
                kinds.formUnion(entity.rows.compactMap { $0.mark?.kind })
            }
            for line in graph.relationships {
                kinds.formUnion([line.forward.mark?.kind, line.inverse?.mark?.kind].compactMap { $0 })
            }
        }
        return GraphMark.Kind.allCases.filter(kinds.contains)
    }

    /// Returns the comparison in a format, ending in a line feed. Equal comparisons produce equal bytes.
    ///
    /// - Parameter theme: The colors of an SVG.
    package func text(as format: GraphFormat, theme: GraphTheme = .auto) -> String {
        switch format {
        case .svg: SVGComparisonWriter(self).text(theme)
        case .mermaid: MermaidWriter(self).text()
        case .dot: DOTWriter(self).text()
        }
    }
}

extension ModelGraph {
    /// Creates one side of a comparison.
    ///
    /// - Parameters:
    ///   - marks: The differences. Entities without a mark are shown by name if they are related to one with a mark.
    ///   - showsAttributes: Whether boxes list attributes and fetched properties.
    package init(_ model: Model, title: String, marks: GraphMarks, showsAttributes: Bool = true) {
        guard !marks.entities.isEmpty else {
            self.init(title: title)
            return
        }
        let options = GraphOptions(entityNames: marks.entities.keys.sorted(), showsAttributes: showsAttributes)
        self.init(model, title: title, options: options)
        for index in entities.indices where entities[index].role == .shown {
            let name = entities[index].name
            entities[index].mark = marks.entities[name]
            for row in entities[index].rows.indices {
                entities[index].rows[row].mark = marks.properties[name]?[entities[index].rows[row].name]
            }
        }
        for index in relationships.indices {
            let (source, target) = (
                entities[relationships[index].source].name, entities[relationships[index].target].name
            )
            relationships[index].forward.mark = marks.properties[source]?[relationships[index].forward.name]
            if let inverse = relationships[index].inverse {
                relationships[index].inverse?.mark = marks.properties[target]?[inverse.name]
            }
        }
    }
}
