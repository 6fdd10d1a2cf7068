/// As much of XML property lists as `.xccurrentversion` needs, with places: values in the dictionary at the top.
enum XMLPropertyList {
    /// The index of the element that is the value of a key in the topmost dictionary, or nil.
    static func value(forKey key: String, in tree: XMLTree) -> Int? {
        guard let dictionary = dictionary(in: tree) else { return nil }
        let children = tree.elements[dictionary].children
        let pairs = zip(children, children.dropFirst())
        return pairs.first { tree.elements[$0.0].name == "key" && tree.elements[$0.0].text == key }?.1
    }

    /// The index of the topmost dictionary, or nil when the document is not a property list with one.
    static func dictionary(in tree: XMLTree) -> Int? {
        guard tree.elements.first?.name == "plist" else { return nil }
        return tree.elements.firstIndex { $0.name == "dict" }
    }
}
