/// A three-way merge of locks by version and entity instead of by text line, so that changes to different entities of a
/// draft never conflict.
package struct LockMerge {
    /// A line that both sides changed in different ways, or that differs between two changed sides of a released
    /// version.
    package struct Conflict: Hashable, Sendable {
        package var key: ModelLock.Key
        /// The line of our side, or `nil` if it has no such line.
        package var ours: ModelLock.Entry?
        /// The line of their side, or `nil` if it has no such line.
        package var theirs: ModelLock.Entry?
        /// Whether a side has released the version, so that its lines cannot be a mixture of both sides.
        package var isReleased: Bool
    }

    /// The merged lock, with our side of each conflict.
    package private(set) var lock = ModelLock()
    /// The lines that cannot be merged, sorted.
    package private(set) var conflicts: [Conflict] = []

    /// Merges two locks that were changed independently.
    ///
    /// A version that one side did not change becomes that of the other side. If both changed a version and one has
    /// released it, every line that differs is a conflict: users have stores of the released lines. The lines of a
    /// draft are merged one by one; a line that both sides changed is a conflict that `modelc lock rebase` resolves
    /// with the merged model.
    package init(base: ModelLock, ours: ModelLock, theirs: ModelLock) {
        let (old, mine, other) = (base.lines, ours.lines, theirs.lines)
        for version in Set(mine.keys).union(other.keys) {
            merge(version, base: old[version] ?? [:], ours: mine[version] ?? [:], theirs: other[version] ?? [:])
        }
        conflicts.sort { $0.key < $1.key }
    }

    private typealias Lines = [String: ModelLock.Entry]

    private mutating func merge(_ version: ModelLock.Version, base: Lines, ours: Lines, theirs: Lines) {
        if ours == theirs || theirs == base { return add(ours, to: version) }
        if ours == base { return add(theirs, to: version) }
        let isReleased = ours.values.contains(where: \.isReleased) || theirs.values.contains(where: \.isReleased)
        for entity in Set(ours.keys).union(theirs.keys) {
            let (mine, other) = (ours[entity], theirs[entity])
            let old = base[entity]?.hash
            if mine == other || !isReleased && other?.hash == old {
                add([entity: mine], to: version)
            } else if !isReleased, mine?.hash == old {
                add([entity: other], to: version)
            } else {
                add([entity: mine], to: version)
                conflicts.append(
                    Conflict(
                        key: ModelLock.Key(model: version.model, version: version.name, entity: entity), ours: mine,
                        theirs: other, isReleased: isReleased))
            }
        }
    }

    private mutating func add(_ lines: [String: ModelLock.Entry?], to version: ModelLock.Version) {
        for (entity, entry) in lines {
            lock.entries[ModelLock.Key(model: version.model, version: version.name, entity: entity)] = entry
        }
    }
}

extension ModelLock {
    /// The lines of each version by entity.
    fileprivate var lines: [Version: [String: Entry]] {
        var result: [Version: [String: Entry]] = [:]
        for (key, entry) in entries {
            result[Version(model: key.model, name: key.version), default: [:]][key.entity] = entry
        }
        return result
    }
}
