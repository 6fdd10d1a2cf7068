internal import ModelSource

extension XMLNode {
    /// Inserts a child where Xcode writes it: by kind and, among entities, attributes and relationships, by name.
    mutating func insertChild(_ node: XMLNode) {
        items.insert(.element(node), at: insertionIndex(for: node))
    }

    private func insertionIndex(for node: XMLNode) -> Int {
        let positions = items.indices.compactMap { index -> (index: Int, node: XMLNode)? in
            if case .element(let other) = items[index] { (index, other) } else { nil }
        }
        let ranks = CanonicalOrder.childRanks(of: name)
        let rank = ranks[node.name] ?? .max
        let siblings = positions.filter { $0.node.name == node.name }
        let names = siblings.map { $0.node["name"] ?? "" }
        if CanonicalOrder.sortedKinds(in: name).contains(node.name), XcodeNameOrder.isSorted(names) {
            let position = Self.position(of: node["name"] ?? "", in: names)
            if position > 0 { return siblings[position - 1].index + 1 }
        } else if let last = siblings.last {
            return last.index + 1
        }
        // After the elements that precede its kind. A comment belongs to the element that follows it.
        if let previous = positions.last(where: { (ranks[$0.node.name] ?? -1) < rank }) { return previous.index + 1 }
        return items.firstIndex { if case .text = $0 { false } else { true } } ?? items.count
    }

    /// Returns the position at which a name keeps a list sorted.
    private static func position(of name: String, in names: [String]) -> Int {
        let lowercased = names.map { $0.lowercased() }
        if lowercased == lowercased.sorted() {
            let key = name.lowercased()
            return lowercased.firstIndex { key < $0 } ?? names.count
        }
        return XcodeNameOrder.sortedIndices(names + [name]).firstIndex(of: names.count) ?? names.count
    }

    /// Moves a renamed child, with the comments before it, to its position in the order that the list had.
    ///
    /// - Parameter namesBefore: The names before the change.
    mutating func restoreOrder(of kind: String, afterRenaming index: Int, namesBefore: [String]) {
        guard CanonicalOrder.sortedKinds(in: name).contains(kind), XcodeNameOrder.isSorted(namesBefore),
            !XcodeNameOrder.isSorted(children(kind).map { $0["name"] ?? "" }),
            case .element(let node) = items[index]
        else { return }
        var start = index
        while start > 0, case .remark = items[start - 1] { start -= 1 }
        let moved = Array(items[start...index])
        items.removeSubrange(start...index)
        items.insert(contentsOf: moved, at: insertionIndex(for: node))
    }

    /// Returns a name that no child of the given kinds has: the name itself, or the name followed by a number.
    func freeName(_ name: String, kinds: Set<String>) -> String {
        let taken = Set(children.filter { kinds.contains($0.name) }.compactMap(\.identity))
        guard taken.contains(name) else { return name }
        let digits = String(name.reversed().prefix { $0.isASCII && $0.isNumber }.reversed())
        let stem = String(name.dropLast(digits.count))
        var number = digits.count < 9 ? Int(digits) ?? 0 : 0
        var candidate = name
        repeat {
            number += 1
            candidate = (digits.count < 9 ? stem : name) + String(number)
        } while taken.contains(candidate)
        return candidate
    }
}
