package import Diagnostics

/// Lays a `contents` file out as Xcode saves it: order of elements and XML attributes, indentation, escapes, no line
/// feed at the end. Comments stay with the element that follows them; unknown elements stay after their neighbor. No
/// value is changed.
package enum ModelFormatter {
    /// The reason why a file is left unchanged.
    package struct CannotFormat: Error, Sendable {
        /// The problems of the file.
        package var diagnostics: [Diagnostic]
        /// The lines of the file, for excerpts; `nil` if it is not text.
        package var lines: LineIndex?
    }

    /// Returns the file as Xcode would have saved it, in the file's own encoding.
    ///
    /// The result is read back and compared with the file before it is returned.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - path: The path that diagnostics name.
    /// - Throws: `CannotFormat` if the file is not a model or is partly unreadable, or if the result would not be
    ///   equivalent to the file.
    package static func format(_ bytes: [UInt8], path: String) throws(CannotFormat) -> [UInt8] {
        let document = try document(bytes, path: path)
        let result = try encode(format(document), path: path)
        guard result == bytes || RewriteCheck.areEquivalent(result, bytes) else {
            throw CannotFormat(
                diagnostics: [RewriteCheck.mismatch(path: path)], lines: LineIndex(document.source.utf8))
        }
        return result
    }

    /// Returns the bytes of a document.
    static func encode(
        _ document: XMLNodeDocument, path: String, markers: ConflictMarkerStyle = ConflictMarkerStyle()
    ) throws(CannotFormat) -> [UInt8] {
        do throws(SourceText.CannotEncode) {
            return try document.bytes(markers: markers)
        } catch {
            throw CannotFormat(diagnostics: [error.diagnostic(path: path)], lines: LineIndex(document.source.utf8))
        }
    }

    /// Returns a file as nodes.
    package static func document(_ bytes: [UInt8], path: String) throws(CannotFormat) -> XMLNodeDocument {
        if let foreign = ForeignFile.recognize(bytes) {
            throw CannotFormat(diagnostics: [foreign.diagnostic(path: path)], lines: nil)
        }
        let tree = XMLTreeParser.parse(bytes)
        let lines = LineIndex(tree.bytes)
        guard tree.problems.isEmpty else {
            throw CannotFormat(diagnostics: tree.problems.map { $0.diagnostic(path: path, lines: lines) }, lines: lines)
        }
        guard let document = XMLNodeDocument(tree) else {
            throw CannotFormat(diagnostics: [ForeignFile.notXML.diagnostic(path: path)], lines: lines)
        }
        guard document.root.name == "model" else {
            let foreign = ForeignFile.otherXML(root: document.root.name)
            throw CannotFormat(
                diagnostics: [foreign.diagnostic(path: path, range: lines.range(of: tree.elements[0].tag))],
                lines: lines)
        }
        return document
    }

    /// Returns a document in Xcode's order.
    package static func format(_ document: XMLNodeDocument) -> XMLNodeDocument {
        var document = document
        let isOld = CanonicalOrder.wasSavedByXcode7OrEarlier(toolsVersion: document.root["lastSavedToolsVersion"])
        document.root = format(document.root, isOld: isOld)
        return document
    }

    private static func format(_ node: XMLNode, isOld: Bool) -> XMLNode {
        var result = node
        let attributeRanks = CanonicalOrder.attributeRanks(of: node.name, isOld: isOld)
        result.attributes = inOrder(node.attributes) { attributeRanks[$0.name] }
        if !isOld {
            for index in result.attributes.indices { result.attributes[index].hasPlainGreaterThan = false }
        }
        let items = node.items.map { item in
            if case .element(let child) = item { XMLNode.Item.element(format(child, isOld: isOld)) } else { item }
        }
        result.items = sorted(items, in: node.name)
        return result
    }

    /// Returns elements in the order of their ranks. An element without a rank stays after its predecessor, and a list
    /// that is already in order is not changed.
    private static func inOrder<Element>(_ list: [Element], rank: (Element) -> Int?) -> [Element] {
        let listRanks = list.compactMap(rank)
        guard zip(listRanks, listRanks.dropFirst()).contains(where: { $0 > $1 }) else { return list }
        var last = -1
        let ranked = list.map { element in
            last = rank(element) ?? last
            return (rank: last, element: element)
        }
        return ranked.indices.sorted { (ranked[$0].rank, $0) < (ranked[$1].rank, $1) }.map { ranked[$0].element }
    }

    /// Returns the sorted items of an element. Text comes first, and a comment stays with the element that follows it.
    private static func sorted(_ items: [XMLNode.Item], in parent: String) -> [XMLNode.Item] {
        let ranks = CanonicalOrder.childRanks(of: parent)
        guard !ranks.isEmpty else { return items }
        var blocks: [(kind: String, name: String, items: [XMLNode.Item])] = []
        var texts: [XMLNode.Item] = []
        var leading: [XMLNode.Item] = []
        for item in items {
            if case .text = item {
                texts.append(item)
                continue
            }
            leading.append(item)
            guard case .element(let node) = item else { continue }
            blocks.append((node.name, node["name"] ?? "", leading))
            leading = []
        }
        var ordered = inOrder(blocks) { ranks[$0.kind] }
        for kind in CanonicalOrder.sortedKinds(in: parent) {
            let locations = ordered.indices.filter { ordered[$0].kind == kind }
            let names = locations.map { ordered[$0].name }
            guard !XcodeNameOrder.isSorted(names) else { continue }
            let old = ordered
            for (location, index) in zip(locations, XcodeNameOrder.sortedIndices(names)) {
                ordered[location] = old[locations[index]]
            }
        }
        return texts + ordered.flatMap(\.items) + leading
    }
}
