/// A mutable element with all of its contents, for formatting and merging.
package struct XMLNode: Sendable, Hashable {
    /// An XML attribute.
    package struct Attribute: Sendable, Hashable {
        package var name: String
        package var value: String
        /// Whether `>` is unescaped in the value, as Xcode 4 wrote it; later versions write `&gt;`.
        package var hasPlainGreaterThan = false

        /// Compares the code points: strings in two Unicode normalizations are equal in Swift, but different files.
        package static func == (one: Attribute, other: Attribute) -> Bool {
            one.name == other.name && one.hasPlainGreaterThan == other.hasPlainGreaterThan
                && one.value.utf8.elementsEqual(other.value.utf8)
        }
    }

    /// An item inside an element.
    package enum Item: Sendable, Hashable {
        case element(XMLNode)
        /// A comment or processing instruction, as written.
        case remark(String)
        /// Text that is not only whitespace, without leading and trailing whitespace.
        case text(String)
    }

    /// A conflict of a merge, for which both sides are written between conflict markers.
    package enum Conflict: Sendable, Hashable {
        /// The start tags differ: the element has that of our side, and the value is that of the other.
        case startTag(theirs: [Attribute])
        /// The whole elements differ: the element is ours, and the value is theirs, which is empty if they removed it.
        case element(theirs: [XMLNode])
        /// We removed the element; the element is theirs.
        case removedByUs
    }

    package var name: String
    package var attributes: [Attribute]
    package var items: [Item]
    /// The conflict of a merge; `nil` in a file that was read.
    package var conflict: Conflict?

    /// The elements directly inside.
    package var children: [XMLNode] {
        items.compactMap { if case .element(let node) = $0 { node } else { nil } }
    }

    /// The value of an XML attribute, or `nil` if the element does not have it.
    package subscript(attribute: String) -> String? {
        attributes.first { $0.name == attribute }?.value
    }
}

/// A document as mutable elements.
package struct XMLNodeDocument: Sendable {
    /// Comments before the root.
    package var head: [String]
    package var root: XMLNode
    /// Comments after the root.
    package var tail: [String]
    /// The file that the document was read from.
    package var source: SourceText

    /// Creates the nodes of a tree; `nil` if there is no root.
    init?(_ tree: XMLTree) {
        guard !tree.elements.isEmpty else { return nil }
        var remarks: [Int: [XMLRemark]] = [:]
        for remark in tree.remarks where remark.parent >= 0 { remarks[remark.parent, default: []].append(remark) }
        source = tree.source
        let outside = tree.remarks.filter { $0.parent < 0 }
        head = outside.filter { $0.elementsBefore == 0 }.map(\.markup)
        tail = outside.filter { $0.elementsBefore > 0 }.map(\.markup)
        root = Self.node(0, tree: tree, remarks: remarks)
    }

    /// Recursive, since libxml2 limits the depth.
    private static func node(_ index: Int, tree: XMLTree, remarks: [Int: [XMLRemark]]) -> XMLNode {
        let element = tree.elements[index]
        var items: [XMLNode.Item] = []
        let text = element.text.trimmingXMLSpace()
        if !text.isEmpty { items.append(.text(text)) }
        var rest = (remarks[index] ?? [])[...]
        for child in element.children {
            while let remark = rest.first, remark.elementsBefore <= child {
                items.append(.remark(remark.markup))
                rest = rest.dropFirst()
            }
            items.append(.element(node(child, tree: tree, remarks: remarks)))
        }
        items += rest.map { .remark($0.markup) }
        return XMLNode(name: element.name, attributes: attributes(index, tree), items: items)
    }

    /// Returns the XML attributes as in the tag, including namespace declarations, which libxml2 reports separately.
    private static func attributes(_ index: Int, _ tree: XMLTree) -> [XMLNode.Attribute] {
        let parsed = tree.elements[index].attributes
        return tree.attributeRanges(ofElementAt: index).map { name, _, range in
            let bytes = tree.bytes[range]
            return XMLNode.Attribute(
                name: name,
                value: parsed.first { $0.name == name }?.value ?? String(decoding: bytes, as: UTF8.self),
                hasPlainGreaterThan: bytes.contains(UInt8(ascii: ">")))
        }
    }

    /// Returns the document as Xcode lays it out, in the encoding of the file that it was read from.
    ///
    /// - Parameter markers: The style of conflict markers.
    /// - Throws: `CannotEncode` if a name or comment has a character that the encoding lacks. In values, such a
    ///   character is written as a character reference.
    package func bytes(markers: ConflictMarkerStyle = ConflictMarkerStyle()) throws(SourceText.CannotEncode) -> [UInt8]
    {
        try source.encode(Array(text(markers: markers).utf8))
    }

    private func text(markers: ConflictMarkerStyle) -> String {
        var writer = XMLNodeWriter(markers: markers, encoding: source.encoding)
        writer.lines = ["<?xml version=\"1.0\" encoding=\"\(source.encoding.name)\" standalone=\"yes\"?>"] + head
        writer.write(root, depth: 0)
        return (writer.lines + tail).joined(separator: "\n")
    }
}

extension String {
    /// Returns the text without leading and trailing XML whitespace.
    func trimmingXMLSpace() -> String {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
        guard let start = utf8.firstIndex(where: { !isSpace($0) }), let last = utf8.lastIndex(where: { !isSpace($0) })
        else { return "" }
        return String(self[start...last])
    }
}

extension XMLNode.Attribute {
    /// Creates an XML attribute.
    package init(name: String, value: String) {
        self.init(name: name, value: value, hasPlainGreaterThan: false)
    }
}

extension XMLNode {
    /// Creates an element.
    package init(name: String, attributes: [(name: String, value: String)] = [], children: [XMLNode] = []) {
        self.init(
            name: name, attributes: attributes.map { Attribute(name: $0.name, value: $0.value) },
            items: children.map { .element($0) })
    }
}
