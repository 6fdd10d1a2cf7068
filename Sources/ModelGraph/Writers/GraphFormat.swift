/// A language that a graph can be written in.
package enum GraphFormat: String, CaseIterable, Sendable {
    /// A finished picture.
    case svg
    /// Mermaid's class diagram, which GitHub and many editors draw inside of Markdown.
    case mermaid
    /// The language of Graphviz.
    case dot
}

extension ModelGraph {
    /// The graph in a language, ending in a line feed. The same graph gives the same text.
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
