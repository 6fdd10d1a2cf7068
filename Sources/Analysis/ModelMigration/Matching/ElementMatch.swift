/// The reason why elements of two versions are treated as the same.
package enum MatchBasis: String, Hashable, Sendable {
    /// Both have the same canonical name (`Renameable.canonicalName`).
    case identifier
    /// Both have the same name, but different renaming identifiers.
    case name
}

/// The elements of two versions, paired.
package struct ElementMatch<Element: Renameable> {
    /// An element in both versions.
    package struct Pair {
        package var source: Element
        package var destination: Element
        package var basis: MatchBasis
    }

    /// The elements that both versions have, by the name in the source.
    package private(set) var pairs: [Pair] = []
    /// The elements that only the source has, by name.
    package private(set) var removed: [Element] = []
    /// The elements that only the destination has, by name.
    package private(set) var added: [Element] = []

    /// Pairs elements by canonical name, and the rest by name.
    ///
    /// Swapping source and destination only swaps the results, if `isSame` is symmetric. Of several elements with the
    /// same canonical name, which Core Data rejects, those with the same name are paired first, and the others in the
    /// order of their names.
    ///
    /// - Parameter isSame: Returns whether elements of the same name are known to be the same, regardless of their
    ///   renaming identifiers.
    package init(
        source: [Element], destination: [Element], isSame: (Element, Element) -> Bool = { _, _ in false }
    ) {
        self.init(
            sortedSource: source.sorted(by: Self.precedes), destination: destination.sorted(by: Self.precedes),
            isSame: isSame)
    }

    /// Pairs elements that are sorted by name (`precedes`).
    init(sortedSource source: [Element], destination: [Element], isSame: (Element, Element) -> Bool) {
        var (sorted, rest) = (source, destination)
        pairUnrenamed(&sorted, destination: &rest, isSame: isSame)
        guard !sorted.isEmpty, !rest.isEmpty else {
            (removed, added) = (sorted, rest)
            return
        }
        var unmatched: [Element] = []
        var candidates: [String: [Element]] = [:]
        var byName: [String: Element] = [:]
        for element in rest {
            candidates[element.canonicalName, default: []].append(element)
            byName[element.name] = byName[element.name] ?? element
        }
        var taken: Set<String> = []
        // Equal names first, so that an element that keeps its name is never taken for a renamed one.
        var open: [Element] = []
        var others: [Element] = []
        for element in sorted {
            if let match = byName[element.name], isSame(element, match), taken.insert(element.name).inserted {
                pairs.append(Pair(source: element, destination: match, basis: .name))
            } else {
                others.append(element)
            }
        }
        for element in others {
            if candidates[element.canonicalName]?.contains(where: { $0.name == element.name }) == true,
                taken.insert(element.name).inserted,
                let match = candidates[element.canonicalName]?.first(where: { $0.name == element.name })
            {
                pairs.append(Pair(source: element, destination: match, basis: .identifier))
            } else {
                open.append(element)
            }
        }
        for element in open {
            if let match = candidates[element.canonicalName]?.first(where: { !taken.contains($0.name) }) {
                taken.insert(match.name)
                pairs.append(Pair(source: element, destination: match, basis: .identifier))
            } else {
                unmatched.append(element)
            }
        }
        rest.removeAll { taken.contains($0.name) }
        // Elements of one name, which the compiler rejects, are taken in their order.
        var locations = Dictionary(grouping: rest.indices) { rest[$0].name }.mapValues { $0[...] }
        var takenLocations: Set<Int> = []
        for element in unmatched {
            if let index = locations[element.name]?.popFirst() {
                takenLocations.insert(index)
                pairs.append(Pair(source: element, destination: rest[index], basis: .name))
            } else {
                removed.append(element)
            }
        }
        added = rest.indices.filter { !takenLocations.contains($0) }.map { rest[$0] }
        pairs.sort { Self.precedes($0.source, $1.source) }
    }

    /// Pairs the elements that keep their names, which most do, in one pass over both lists, and leaves the others in
    /// them. Leaves lists with equal names as they are.
    private mutating func pairUnrenamed(
        _ source: inout [Element], destination: inout [Element], isSame: (Element, Element) -> Bool
    ) {
        guard !Self.repeatsNames(source), !Self.repeatsNames(destination) else { return }
        var (old, new): ([Element], [Element]) = ([], [])
        var location = 0
        for element in source {
            while location < destination.count, Self.precedes(destination[location], element) {
                new.append(destination[location])
                location += 1
            }
            guard location < destination.count, destination[location].name == element.name else {
                old.append(element)
                continue
            }
            let other = destination[location]
            location += 1
            if isSame(element, other) {
                pairs.append(Pair(source: element, destination: other, basis: .name))
            } else if element.canonicalName == other.canonicalName {
                pairs.append(Pair(source: element, destination: other, basis: .identifier))
            } else {
                old.append(element)
                new.append(other)
            }
        }
        (source, destination) = (old, new + destination[location...])
    }

    private static func repeatsNames(_ elements: [Element]) -> Bool {
        zip(elements, elements.dropFirst()).contains { $0.name == $1.name }
    }

    static func precedes(_ first: Element, _ second: Element) -> Bool {
        first.name.utf8.lexicographicallyPrecedes(second.name.utf8)
    }
}
