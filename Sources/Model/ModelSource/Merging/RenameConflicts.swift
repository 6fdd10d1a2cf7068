/// The elements that the sides of a merge renamed in different ways, or that one renamed and the other removed.
///
/// A renamed element has another key, so that renaming looks like removing one element and adding another. Its renaming
/// identifier (`elementID`) shows which one it was.
struct RenameConflicts {
    /// One element.
    struct Conflict {
        /// The renaming identifier, which is the name that the element had.
        var oldName: String
        /// The renamed element on our side, or `nil` if our side removed it.
        var ours: XMLNode?
        /// The renamed element on their side, or `nil` if their side removed it.
        var theirs: XMLNode?
    }

    /// The conflicts by the key at which they stand in the merged file; `nil` for keys that are part of another
    /// conflict.
    private var conflicts: [MergeKey: Conflict?] = [:]

    /// The elements of the common ancestor that both sides gave the same new name, by its key.
    private var ancestors: [MergeKey: XMLNode] = [:]

    /// Finds the conflicts among the children of an element.
    ///
    /// - Parameter base: Without children if both sides added the element.
    init(base: KeyedChildren, ours: KeyedChildren, theirs: KeyedChildren) {
        let removed = Self.removed(base, ours: ours, theirs: theirs)
        for key in ours.keys where base.nodes[key] == nil {
            guard let name = ours.nodes[key]?["elementID"], theirs.nodes[key]?["elementID"] == name else { continue }
            ancestors[key] = removed[Identity(kind: key.kind, name: name)]
        }
        let (mine, other) = (
            Self.renamed(ours, other: theirs, base: base), Self.renamed(theirs, other: ours, base: base)
        )
        for (identity, key) in mine {
            if let otherKey = other[identity] {
                conflicts[key] = Conflict(
                    oldName: identity.name, ours: ours.nodes[key], theirs: theirs.nodes[otherKey])
                conflicts[otherKey] = .some(nil)
            } else if removed[identity] != nil {
                conflicts[key] = Conflict(oldName: identity.name, ours: ours.nodes[key])
            }
        }
        for (identity, key) in other where mine[identity] == nil && removed[identity] != nil {
            conflicts[key] = Conflict(oldName: identity.name, theirs: theirs.nodes[key])
        }
    }

    /// Returns the conflict at a key. The inner value is `nil` if the key's element is part of a conflict at another
    /// key.
    func conflict(at key: MergeKey) -> Conflict?? { conflicts[key] }

    /// Returns the element of the common ancestor to which both sides gave the name of a key.
    func ancestor(at key: MergeKey) -> XMLNode? { ancestors[key] }

    /// The identity of an element across renamings.
    private struct Identity: Hashable {
        var kind: String
        var name: String
    }

    /// Returns the new elements of one side with a renaming identifier.
    private static func renamed(
        _ side: KeyedChildren, other: KeyedChildren, base: KeyedChildren
    ) -> [Identity: MergeKey] {
        var result: [Identity: MergeKey] = [:]
        for key in side.keys where MergeKey.renamable.contains(key.kind) {
            guard base.nodes[key] == nil, other.nodes[key] == nil, let name = side.nodes[key]?["elementID"] else {
                continue
            }
            result[Identity(kind: key.kind, name: name)] = key
        }
        return result
    }

    /// Returns the elements that both sides lack, by every identity that a renamed one may refer to.
    private static func removed(
        _ base: KeyedChildren, ours: KeyedChildren, theirs: KeyedChildren
    ) -> [Identity: XMLNode] {
        var result: [Identity: XMLNode] = [:]
        for key in base.keys where ours.nodes[key] == nil && theirs.nodes[key] == nil {
            for name in [key.name, base.nodes[key]?["elementID"]].compactMap({ $0 }) {
                result[Identity(kind: key.kind, name: name)] = base.nodes[key]
            }
        }
        return result
    }
}
