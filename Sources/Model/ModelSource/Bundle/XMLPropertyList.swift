/// The subset of XML property lists that `.xccurrentversion` needs, with locations: values in the top-level dictionary.
enum XMLPropertyList {
    /// Returns the index of the element that is the value of a key in the top-level dictionary, or `nil`.
    static func value(forKey key: String, in tree: XMLTree) -> Int? {
        guard let dictionary = dictionary(in: tree) else { return nil }
        let children = tree.elements[dictionary].children
        let pairs = zip(children, children.dropFirst())
        return pairs.first { tree.elements[$0.0].name == "key" && tree.elements[$0.0].text == key }?.1
    }

    /// Returns the index of the top-level dictionary, or `nil` if the document is not a property list with one.
    static func dictionary(in tree: XMLTree) -> Int? {
        guard tree.elements.first?.name == "plist" else { return nil }
        return tree.elements.firstIndex { $0.name == "dict" }
    }
}
