/// As much of XML property lists as models need: single strings in the dictionary at the top.
public enum XMLPropertyList {
    /// The string that a key has in the topmost dictionary, or nil.
    public static func string(forKey key: String, in bytes: [UInt8]) -> String? {
        let tree = XMLTreeParser.parse(bytes)
        return value(forKey: key, in: tree).flatMap { index in
            tree.elements[index].name == "string" ? tree.elements[index].text : nil
        }
    }

    /// The index of the element that is the value of a key in the topmost dictionary, or nil.
    static func value(forKey key: String, in tree: XMLTree) -> Int? {
        guard let dictionary = dictionary(in: tree) else { return nil }
        let children = tree.elements[dictionary].children
        let pairs = zip(children, children.dropFirst())
        return pairs.first { tree.elements[$0.0].name == "key" && tree.elements[$0.0].text == key }?.1
    }

    /// The index of the topmost dictionary, or nil when the document is no property list with one.
    static func dictionary(in tree: XMLTree) -> Int? {
        guard tree.elements.first?.name == "plist" else { return nil }
        return tree.elements.firstIndex { $0.name == "dict" }
    }
}
