/// A side of a merge, in favor of which conflicts are resolved.
package enum MergeSide: Sendable {
    /// Our version.
    case ours
    /// The other version.
    case theirs
}

extension XMLNode {
    /// Resolves all conflicts in the element in favor of a side.
    ///
    /// - Returns: The elements that replace it; none if that side has removed it.
    func resolved(inFavorOf side: MergeSide) -> [XMLNode] {
        var node = self
        node.conflict = nil
        switch (conflict, side) {
        case (.removedByUs, .ours): return []
        case (.element(let theirs), .theirs): return theirs
        case (.startTag(let theirs), .theirs): node.attributes = theirs
        case (.removedByUs, .theirs), (.element, .ours), (.startTag, .ours), (nil, _): break
        }
        node.items = items.flatMap { item -> [Item] in
            guard case .element(let child) = item else { return [item] }
            return child.resolved(inFavorOf: side).map { .element($0) }
        }
        return [node]
    }
}
