/// One element of an XML document: names, values, and the bytes it came from.
///
/// Only the offsets of the start tag are kept; the exact ranges of the attributes are worked out when a diagnostic asks
/// for them (`XMLTree.range(ofAttribute:in:)`), so that reading a clean model costs no more than parsing it.
struct XMLElement: Sendable {
    /// An attribute with its value, entities resolved.
    struct Attribute: Sendable, Equatable {
        var name: String
        /// The name, when it is one that models have.
        var knownName: XMLName?
        var value: String
    }

    /// The element's qualified name.
    var name: String
    /// Its attributes in the order of the source.
    var attributes: [Attribute]
    /// The index of the element that holds it; -1 for the root.
    var parent: Int
    /// The byte offsets from `<` up to, not including, the `>` or `/>` that ends the start tag.
    var tag: Range<Int>
    /// The text directly inside, without the text of children.
    var text = ""
    /// The indices of the elements inside, in document order.
    var children: [Int] = []
}
