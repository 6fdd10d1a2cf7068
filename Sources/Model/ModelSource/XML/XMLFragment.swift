extension XMLNodeDocument {
    /// Reads as much of a file as possible, for display. To rewrite a file, use `ModelFormatter.document`.
    ///
    /// - Returns: `nil` if the file has no elements.
    package init?(recovering bytes: [UInt8]) { self.init(XMLTreeParser.parse(bytes)) }
}

/// Elements as text without a document, as on the clipboard.
package enum XMLFragment {
    /// Returns elements as Xcode would write them.
    package static func text(of nodes: [XMLNode]) -> String {
        var writer = XMLNodeWriter(markers: ConflictMarkerStyle(), encoding: TextEncoding(detectedIn: []))
        for node in nodes { writer.write(node, depth: 0) }
        return writer.lines.joined(separator: "\n")
    }

    /// Returns the elements of a text, or `nil` if it is not well-formed or contains none.
    package static func nodes(in text: String) -> [XMLNode]? {
        let tree = XMLTreeParser.parse(Array("<fragment>\(text)</fragment>".utf8))
        guard tree.problems.isEmpty, let document = XMLNodeDocument(tree), document.tail.isEmpty else { return nil }
        let nodes = document.root.children
        return nodes.isEmpty || nodes.count != document.root.items.count ? nil : nodes
    }
}
