/// The identity of an element across versions of a file: the kind and the name, not the position.
struct MergeKey: Hashable {
    var kind: String
    var name: String
    /// Distinguishes elements with the same kind and name.
    var occurrence = 0

    init(_ node: XMLNode) {
        kind = node.name
        name =
            switch node.name {
            case "entry": node["key"] ?? ""
            case "index", "constraint": node["value"] ?? ""
            case "fetchIndexElement": node["property"] ?? node["expression"] ?? ""
            // These have no name: a constraint is identified by its properties.
            case "uniquenessConstraint", "compoundIndex":
                node.children.map { $0["value"] ?? "" }.joined(separator: "\u{1F}")
            case "fetchRequest" where node["name"] == "fetchedPropertyFetchRequest": ""
            default: node["name"] ?? ""
            }
    }

    /// Elements that only contain others: an empty one is equivalent to an absent one.
    static let containers: Set = ["userInfo", "elements", "uniquenessConstraints", "compoundIndexes"]
    /// Containers of elements that are identified by their contents, so that a changed one looks like one that was
    /// removed and another that was added.
    static let sets: Set = ["uniquenessConstraints", "compoundIndexes"]
    /// Elements with a renaming identifier.
    static let renamable: Set = ["entity", "attribute", "relationship", "fetchedProperty", "composite"]
    /// Elements that are merged as a unit, such as an index with its columns.
    static let wholes: Set = ["fetchIndex", "uniquenessConstraint", "compoundIndex"]
    /// The boxes of the old graph editor, whose positions never cause a conflict.
    static let canvasBox = "element"
}

/// The children of an element with their keys and the comments before each.
struct KeyedChildren {
    var keys: [MergeKey] = []
    var nodes: [MergeKey: XMLNode] = [:]
    /// The comments and text directly before an element.
    var leading: [MergeKey: [XMLNode.Item]] = [:]
    /// The comments and text after the last element.
    var trailing: [XMLNode.Item] = []

    init(_ node: XMLNode?) {
        var counts: [MergeKey: Int] = [:]
        for item in node?.items ?? [] {
            guard case .element(let child) = item else {
                trailing.append(item)
                continue
            }
            var key = MergeKey(child)
            let count = counts[key, default: 0]
            counts[key] = count + 1
            key.occurrence = count
            keys.append(key)
            nodes[key] = child
            leading[key] = trailing
            trailing = []
        }
    }
}
