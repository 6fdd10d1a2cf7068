/// A format that a graph can be written in.
package enum GraphFormat: String, CaseIterable, Sendable {
    /// An SVG picture.
    case svg
    /// A Mermaid class diagram, which GitHub and many editors render inside Markdown.
    case mermaid
    /// The DOT language of Graphviz.
    case dot
}

extension ModelGraph {
    /// Returns the graph in a format, ending in a line feed. The same graph always produces the same text.
    ///
    /// - Parameter theme: The colors of an SVG.
    package func text(as format: GraphFormat, theme: GraphTheme = .auto) -> String {
        switch format {
        case .svg: SVGWriter(self).text(theme)
        case .mermaid: MermaidWriter(self).text()
        case .dot: DOTWriter(self).text()
        }
    }
}
