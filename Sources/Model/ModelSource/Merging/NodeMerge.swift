/// The three-way merge of elements by kind and name.
struct NodeMerge {
    /// Descriptions of the conflicts: the element and the change of each side.
    private(set) var conflicts: [String] = []
    /// Whether the common ancestor is known. Without it, an element that only one side has is a conflict: either this
    /// side added it, or the other removed it.
    private let hasBase: Bool

    init(hasBase: Bool) {
        self.hasBase = hasBase
    }

    /// Merges an element that both sides have.
    ///
    /// - Parameters:
    ///   - base: `nil` if both sides added it.
    ///   - path: The names of the enclosing elements, for messages.
    mutating func merge(base: XMLNode?, ours: XMLNode, theirs: XMLNode, path: [String]) -> XMLNode {
        if ours == theirs || theirs == base { return ours }
        if ours == base { return theirs }
        if MergeKey.wholes.contains(ours.name) || Self.isChangedSet(base: base, ours: ours, theirs: theirs) {
            conflicts.append("\(Self.name(ours, path)): changed on both sides")
            var node = ours
            node.conflict = .element(theirs: [theirs])
            return node
        }
        let attributes = AttributeMerge(
            kind: ours.name, base: base?.attributes, ours: ours.attributes, theirs: theirs.attributes)
        var result = ours
        result.attributes = attributes.merged
        if let other = attributes.theirsInConflict {
            conflicts.append(
                Self.message(Self.name(ours, path), ours: attributes.merged, theirs: other, isNew: base == nil))
            result.conflict = .startTag(theirs: other)
        }
        let inner = ours.name == "model" ? [] : path + [ours["name"] ?? ours["key"]].compactMap { $0 }
        result.items = mergeItems(base: base, ours: ours, theirs: theirs, path: inner)
        return result
    }

    private mutating func mergeItems(
        base: XMLNode?, ours: XMLNode, theirs: XMLNode, path: [String]
    ) -> [XMLNode.Item] {
        let (base, ours, theirs) = (KeyedChildren(base), KeyedChildren(ours), KeyedChildren(theirs))
        var items: [XMLNode.Item] = []
        let renamings = RenameConflicts(base: base, ours: ours, theirs: theirs)
        for key in Self.order(ours.keys, theirs.keys) {
            let (o, t) = (ours.nodes[key], theirs.nodes[key])
            let b = base.nodes[key] ?? renamings.ancestor(at: key)
            if let conflict = renamings.conflict(at: key) {
                if let conflict { items.append(.element(rename(conflict, path))) }
                continue
            }
            guard let node = merge(base: b, ours: o, theirs: t, path: path) else { continue }
            items += Self.union(base: base.leading[key], ours: ours.leading[key], theirs: theirs.leading[key])
            items.append(.element(node))
        }
        return items + Self.union(base: base.trailing, ours: ours.trailing, theirs: theirs.trailing)
    }

    /// Merges an element that a side may lack. Returns `nil` if the merged file lacks it.
    private mutating func merge(base: XMLNode?, ours: XMLNode?, theirs: XMLNode?, path: [String]) -> XMLNode? {
        switch (ours, theirs) {
        case (let ours?, let theirs?):
            return merge(base: base, ours: ours, theirs: theirs, path: path)
        case (nil, nil):
            return nil
        case (let one?, nil), (nil, let one?):
            guard let base else {
                return hasBase || Self.isLayout(one) ? one : onOneSide(one, isOurs: ours != nil, path: path)
            }
            if one == base { return nil }
            if MergeKey.containers.contains(one.name) {
                let empty = XMLNode(name: one.name, attributes: one.attributes, items: [])
                let merged = merge(base: base, ours: ours ?? empty, theirs: theirs ?? empty, path: path)
                return merged.items.isEmpty ? nil : merged
            }
            if one.name == MergeKey.canvasBox { return nil }
            let name = Self.name(one, path)
            conflicts.append("\(name): removed on \(ours == nil ? "our" : "their") side, changed on the other")
            var node = one
            node.conflict = ours == nil ? .removedByUs : .element(theirs: [])
            return node
        }
    }

    /// Returns whether an element is about the old graph editor only.
    private static func isLayout(_ node: XMLNode) -> Bool { node.name == "elements" || node.name == MergeKey.canvasBox }

    /// Returns an element that only one side has, as a conflict.
    private mutating func onOneSide(_ node: XMLNode, isOurs: Bool, path: [String]) -> XMLNode {
        conflicts.append(
            "\(Self.name(node, path)): only on \(isOurs ? "our" : "their") side, which has added it, or the other has removed "
                + "it; both sides added the file")
        return Self.conflicting(ours: isOurs ? node : nil, theirs: isOurs ? nil : node) ?? node
    }

    /// Returns an element with a conflict between the two sides; `nil` if neither has it.
    private static func conflicting(ours: XMLNode?, theirs: XMLNode?) -> XMLNode? {
        guard var node = ours ?? theirs else { return nil }
        node.conflict = ours == nil ? .removedByUs : .element(theirs: [theirs].compactMap { $0 })
        return node
    }

    /// Returns whether both sides removed a member of a set and did not add the same members: one of them or both may
    /// have changed it.
    private static func isChangedSet(base: XMLNode?, ours: XMLNode, theirs: XMLNode) -> Bool {
        guard MergeKey.sets.contains(ours.name), let base else { return false }
        let (old, mine, other) = (
            Set(KeyedChildren(base).keys), Set(KeyedChildren(ours).keys), Set(KeyedChildren(theirs).keys)
        )
        return !old.subtracting(mine).isDisjoint(with: old.subtracting(other))
            && mine.subtracting(old) != other.subtracting(old)
    }

    private mutating func rename(_ conflict: RenameConflicts.Conflict, _ path: [String]) -> XMLNode {
        let names = (conflict.ours?["name"], conflict.theirs?["name"])
        let kind = (conflict.ours ?? conflict.theirs)?.name ?? ""
        let location = (path + [conflict.oldName]).joined(separator: ".")
        let sides = [(names.0, "here"), (names.1, "there")].map { name, side in
            name.map { "renamed to “\($0)” \(side)" } ?? "removed \(side)"
        }
        conflicts.append("\(kind) \(location): \(sides.joined(separator: " and "))")
        return Self.conflicting(ours: conflict.ours, theirs: conflict.theirs)
            ?? XMLNode(name: kind, attributes: [], items: [])
    }

    /// Returns the keys in our order. Elements that only they have follow the element that precedes them on their side.
    private static func order(_ ours: [MergeKey], _ theirs: [MergeKey]) -> [MergeKey] {
        let ourKeys = Set(ours)
        var added: [MergeKey?: [MergeKey]] = [:]
        var previous: MergeKey?
        for key in theirs {
            if ourKeys.contains(key) { previous = key } else { added[previous, default: []].append(key) }
        }
        return (added[nil] ?? []) + ours.flatMap { [$0] + (added[$0] ?? []) }
    }

    /// Returns the comments of both sides, without those that one side removed.
    private static func union(
        base: [XMLNode.Item]?, ours: [XMLNode.Item]?, theirs: [XMLNode.Item]?
    ) -> [XMLNode.Item] {
        let (base, ours, theirs) = (base ?? [], ours ?? [], theirs ?? [])
        if ours == theirs || theirs == base { return ours }
        if ours == base { return theirs }
        let existing = Set(ours + base)
        return ours + theirs.filter { !existing.contains($0) }
    }

    private static func name(_ node: XMLNode, _ path: [String]) -> String {
        let name = MergeKey(node).name.split(separator: "\u{1F}").joined(separator: ", ")
        let location = (path + [name].filter { !$0.isEmpty }).joined(separator: ".")
        return location.isEmpty ? node.name : "\(node.name) \(location)"
    }

    private static func message(
        _ name: String, ours: [XMLNode.Attribute], theirs: [XMLNode.Attribute], isNew: Bool
    ) -> String {
        let names = ours.map(\.name) + theirs.map(\.name).filter { name in !ours.contains { $0.name == name } }
        let differences = names.compactMap { name -> String? in
            let one = ours.first { $0.name == name }?.value
            let other = theirs.first { $0.name == name }?.value
            guard one != other else { return nil }
            return
                "\(name) is \(one.map { "“\($0)”" } ?? "absent") here and \(other.map { "“\($0)”" } ?? "absent") there"
        }
        return "\(name)\(isNew ? ", new on both sides" : ""): \(differences.joined(separator: ", "))"
    }
}
