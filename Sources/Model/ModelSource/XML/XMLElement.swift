/// An element of an XML document: names, values, and its location.
///
/// Only the offsets of the start tag are kept. The exact ranges of the attributes are computed when a diagnostic needs
/// them (`XMLTree.range(ofAttribute:in:)`), so that reading a clean model costs no more than parsing it.
struct XMLElement: Sendable {
    /// An attribute with its value, entities resolved.
    struct Attribute: Sendable, Equatable {
        var name: String
        /// The name, if it is one that models have.
        var knownName: XMLName?
        var value: String
    }

    /// The element's qualified name.
    var name: String
    /// Its attributes in the order of the source.
    var attributes: [Attribute]
    /// The index of the parent element; -1 for the root.
    var parent: Int
    /// The byte offsets from `<` up to, not including, the `>` or `/>` that ends the start tag.
    var tag: Range<Int>
    /// The text directly inside, without the text of children.
    var text = ""
    /// The indices of the elements inside, in document order.
    var children: [Int] = []
}
