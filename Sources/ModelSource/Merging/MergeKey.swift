/// What makes two elements in different versions of a file the same one: the kind and the name, not the place.
struct MergeKey: Hashable {
    var kind: String
    var name: String
    /// Tells elements apart that have the same kind and name.
    var occurrence = 0

    init(_ node: XMLNode) {
        kind = node.name
        name =
            switch node.name {
            case "entry": node["key"] ?? ""
            case "index", "constraint": node["value"] ?? ""
            case "fetchIndexElement": node["property"] ?? node["expression"] ?? ""
            // These have no name: a constraint is the properties that it names.
            case "uniquenessConstraint", "compoundIndex":
                node.children.map { $0["value"] ?? "" }.joined(separator: "\u{1F}")
            case "fetchRequest" where node["name"] == "fetchedPropertyFetchRequest": ""
            default: node["name"] ?? ""
            }
    }

    /// Elements that only hold others: without any it is as if they were not there.
    static let containers: Set = ["userInfo", "elements", "uniquenessConstraints", "compoundIndexes"]
    /// Elements whose parts mean nothing alone: the columns of an index are one decision.
    static let wholes: Set = ["fetchIndex", "uniquenessConstraint", "compoundIndex"]
    /// The boxes of the old graph editor, whose positions are not worth a conflict.
    static let canvasBox = "element"
}

/// The children of an element with their keys and the comments before each.
struct KeyedChildren {
    var keys: [MergeKey] = []
    var nodes: [MergeKey: XMLNode] = [:]
    /// The comments and texts right before an element.
    var leading: [MergeKey: [XMLNode.Item]] = [:]
    /// Those behind the last.
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
