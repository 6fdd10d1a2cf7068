internal import ModelSource

/// A reversible change to a version: the elements between the unchanged parts.
struct TreeChange: Sendable {
    let version: String
    /// The index of the first changed item of the model.
    let start: Int
    private let oldAttributes: [XMLNode.Attribute]
    private let newAttributes: [XMLNode.Attribute]
    private let oldItems: [XMLNode.Item]
    private let newItems: [XMLNode.Item]

    /// Compares two states of a version.
    init(version: String, from old: XMLNode, to new: XMLNode) {
        self.version = version
        oldAttributes = old.attributes
        newAttributes = new.attributes
        let shorter = min(old.items.count, new.items.count)
        var prefix = 0
        while prefix < shorter, old.items[prefix] == new.items[prefix] { prefix += 1 }
        var suffix = 0
        while suffix < shorter - prefix,
            old.items[old.items.count - 1 - suffix] == new.items[new.items.count - 1 - suffix]
        { suffix += 1 }
        start = prefix
        oldItems = Array(old.items[prefix..<(old.items.count - suffix)])
        newItems = Array(new.items[prefix..<(new.items.count - suffix)])
    }

    /// Whether nothing changed.
    var isEmpty: Bool { oldItems.isEmpty && newItems.isEmpty && oldAttributes == newAttributes }

    /// Returns the change for a page that has the old elements.
    ///
    /// - Parameter old: The state that the change was made from.
    func splice(in old: XMLNode) -> ModelSnapshot.Splice {
        func elements(_ items: some Sequence<XMLNode.Item>) -> [XMLNode] {
            items.compactMap { if case .element(let node) = $0 { node } else { nil } }
        }
        return ModelSnapshot.Splice(
            start: elements(old.items[..<start]).count, count: elements(oldItems).count,
            nodes: elements(newItems).map(ModelSnapshot.Node.init),
            attributes: Dictionary(newAttributes.map { ($0.name, $0.value) }) { first, _ in first })
    }

    /// Restores the old elements.
    ///
    /// - Returns: Whether the new elements were at their place; if not, nothing changes.
    func undo(in root: inout XMLNode) -> Bool {
        replace(newItems, by: oldItems, attributes: oldAttributes, in: &root)
    }

    /// Restores the new elements.
    ///
    /// - Returns: Whether the old elements were at their place; if not, nothing changes.
    func redo(in root: inout XMLNode) -> Bool {
        replace(oldItems, by: newItems, attributes: newAttributes, in: &root)
    }

    private func replace(
        _ items: [XMLNode.Item], by others: [XMLNode.Item], attributes: [XMLNode.Attribute], in root: inout XMLNode
    ) -> Bool {
        let end = start + items.count
        guard end <= root.items.count, root.items[start..<end].elementsEqual(items) else { return false }
        root.attributes = attributes
        root.items.replaceSubrange(start..<end, with: others)
        return true
    }
}

/// The changes that one undo reverts.
struct UndoStep: Sendable {
    /// The name of the operation.
    var title: String
    /// The changed versions.
    var changes: [TreeChange] = []
    /// The elements that were renamed, in the order of the operation.
    var identityChanges: [IdentityChange] = []
    /// The current version before and after; `nil` if it did not change.
    var currentVersion: (old: String?, new: String?)?
}
