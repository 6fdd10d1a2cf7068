internal import RuntimeSupport

/// Merges changed objects into sorted results, examining only those others that a binary search visits.
struct ResultsMerge {
    /// A changed object that was among the results.
    struct Hit {
        let object: NSManagedObject
        /// Its index in the old results.
        let index: Int
        /// Whether it stays among the results.
        let stays: Bool
    }

    /// An object to insert.
    private struct Item {
        let object: NSManagedObject
        /// The index of its hit; `nil` for a new object.
        let hit: Int?
        let name: String
        /// The index of the unchanged object that it precedes.
        var position = 0
        /// The existing section that it joins, or `nil` if it starts a new section.
        var section: Int?
        /// The order among items with the same position: the end of the previous section comes first, the beginning of
        /// the next last.
        var rank = 1
    }

    private let order: ResultsOrder
    private let naming: ResultsSections
    private let hits: [Hit]
    private let old: [ResultsContents.Section]
    private var objects: [NSManagedObject]
    private var items: [Item] = []
    /// The old sections that still have unchanged objects, and the range of these among all unchanged objects.
    private var remaining: [(old: Int, range: Range<Int>)] = []

    private(set) var contents = ResultsContents()
    private(set) var difference = ResultsDifference<NSManagedObject>()

    /// Merges the changes.
    ///
    /// - Parameters:
    ///   - contents: The old results, which are consumed. They are copied unless uniquely referenced.
    ///   - hits: The changed objects among them, ordered by index.
    ///   - insertions: The objects to add to the results.
    init(
        _ contents: inout ResultsContents, hits: [Hit], insertions: [NSManagedObject], order: ResultsOrder,
        naming: ResultsSections
    ) {
        self.order = order
        self.naming = naming
        self.hits = hits
        old = contents.sections
        objects = contents.objects
        contents.objects = []
        let oldPaths = hits.map { Self.path(of: $0.index, in: old) }
        removeHits()
        items = hits.indices.filter { hits[$0].stays }.map {
            Item(object: hits[$0].object, hit: $0, name: naming.name(of: hits[$0].object))
        }
        items += insertions.map { Item(object: $0, hit: nil, name: naming.name(of: $0)) }
        positionItems()
        sortItems()
        let sections = insertItems()
        self.contents.objects = objects
        self.contents.sections = sections
        compare(oldPaths)
    }

    private static func path(of index: Int, in sections: [ResultsContents.Section]) -> (section: Int, row: Int) {
        var contents = ResultsContents()
        contents.sections = sections
        let section = contents.section(of: index)
        return (section, index - sections[section].range.lowerBound)
    }

    // MARK: Removal

    /// The number of objects up to which the list is updated in place; for more, it is rebuilt.
    private static let few = 16

    private mutating func removeHits() {
        if hits.count <= Self.few {
            for hit in hits.reversed() { objects.remove(at: hit.index) }
        } else {
            var next = 0
            var index = -1
            objects.removeAll { _ in
                index += 1
                guard next < hits.count, hits[next].index == index else { return false }
                next += 1
                return true
            }
        }
        var gone = 0
        var next = 0
        for (number, section) in old.enumerated() {
            let begin = section.range.lowerBound - gone
            while next < hits.count, hits[next].index < section.range.upperBound {
                gone += 1
                next += 1
            }
            let end = section.range.upperBound - gone
            if end > begin { remaining.append((number, begin..<end)) }
        }
    }

    // MARK: Placement

    private mutating func positionItems() {
        let sectionsByName = Dictionary(
            remaining.indices.map { (old[remaining[$0].old].name, $0) }, uniquingKeysWith: { first, _ in first })
        var positionsOfNew: [String: Int] = [:]
        for number in items.indices {
            var position = naturalPosition(of: items[number])
            if naming.keyPath == nil {
                items[number].position = position
                continue
            }
            let name = items[number].name
            if let section = sectionsByName[name] {
                let range = remaining[section].range
                let inside = min(max(position, range.lowerBound), range.upperBound)
                if inside != position { outOfOrder(items[number]) }
                position = inside
                items[number].section = section
                items[number].rank = position == range.upperBound ? 0 : position == range.lowerBound ? 2 : 1
            } else {
                if let section = remaining.firstIndex(where: {
                    $0.range.lowerBound < position && position < $0.range.upperBound
                }) {
                    outOfOrder(items[number])
                    position = remaining[section].range.upperBound
                }
                if let other = positionsOfNew[name], other != position {
                    outOfOrder(items[number])
                    position = other
                }
                positionsOfNew[name] = position
            }
            items[number].position = position
        }
    }

    /// Returns the insertion index of an item by its values, which is the old one if the order allows it.
    private func naturalPosition(of item: Item) -> Int {
        if let hit = item.hit {
            let position = hits[hit].index - hit
            if order.allows(item.object, at: position, in: objects) { return position }
        }
        return order.position(of: item.object, in: objects)
    }

    private func outOfOrder(_ item: Item) {
        Log.error(
            "a fetched object has an out of order section name “\(item.name)”. Objects must be sorted by section name "
                + "(\(naming.keyPath ?? ""))")
    }

    /// Sorts the items so that those of each section are adjacent.
    private mutating func sortItems() {
        var firstOfName: [String: Int] = [:]
        let sorted = items.indices.sorted { one, other in
            let (a, b) = (items[one], items[other])
            if a.position != b.position { return a.position < b.position }
            if a.rank != b.rank { return a.rank < b.rank }
            switch order.compare(a.object, b.object) {
            case .orderedAscending: return true
            case .orderedDescending: return false
            case .orderedSame: return one < other
            }
        }
        items = sorted.map { items[$0] }
        guard naming.keyPath != nil, items.count > 1 else { return }
        for (index, item) in items.enumerated() where item.section == nil {
            firstOfName[item.name] = firstOfName[item.name] ?? index
        }
        guard firstOfName.count > 1 else { return }
        let grouped = items.indices.sorted { one, other in
            let (a, b) = (items[one], items[other])
            if a.position != b.position { return a.position < b.position }
            if a.rank != b.rank { return a.rank < b.rank }
            let (first, second) = (firstOfName[a.name] ?? one, firstOfName[b.name] ?? other)
            return a.section == nil && b.section == nil && first != second ? first < second : one < other
        }
        items = grouped.map { items[$0] }
    }

    // MARK: Insertion

    private mutating func insertItems() -> [ResultsContents.Section] {
        let sections = newSections()
        if items.count <= Self.few {
            for (number, item) in items.enumerated() { objects.insert(item.object, at: item.position + number) }
        } else {
            var result: [NSManagedObject] = []
            result.reserveCapacity(objects.count + items.count)
            var taken = 0
            for item in items {
                result += objects[taken..<item.position]
                taken = item.position
                result.append(item.object)
            }
            result += objects[taken...]
            objects = result
        }
        return sections
    }

    private func newSections() -> [ResultsContents.Section] {
        guard naming.keyPath != nil else {
            return [ResultsContents.Section(name: "", range: 0..<(objects.count + items.count))]
        }
        var counts: [(name: String, count: Int)] = []
        var next = 0
        func addNew(upTo position: Int) {
            while next < items.count, items[next].section == nil, items[next].position <= position {
                if counts.last?.name == items[next].name {
                    counts[counts.count - 1].count += 1
                } else {
                    counts.append((items[next].name, 1))
                }
                next += 1
            }
        }
        for (number, section) in remaining.enumerated() {
            addNew(upTo: section.range.lowerBound)
            counts.append((old[section.old].name, section.range.count))
            while next < items.count, items[next].section == number {
                counts[counts.count - 1].count += 1
                next += 1
            }
        }
        addNew(upTo: .max)
        var begin = 0
        return counts.map { name, count in
            defer { begin += count }
            return ResultsContents.Section(name: name, range: begin..<(begin + count))
        }
    }

    // MARK: Difference

    private mutating func compare(_ oldPaths: [(section: Int, row: Int)]) {
        let matching = SectionMatching(
            old: old.map(\.name), new: contents.sections.map(\.name), fixed: Set(remaining.map(\.old)))
        difference.deletedSections = naming.keyPath == nil ? [] : matching.deleted
        difference.insertedSections = naming.keyPath == nil ? [] : matching.inserted
        for (number, hit) in hits.enumerated() where !hit.stays {
            let path = oldPaths[number]
            difference.deletions.append(.init(element: hit.object, path: [path.section, path.row]))
        }
        let unmoved = unmovedItems()
        for (number, item) in items.enumerated() {
            let path = contents.path(of: item.position + number)
            guard let hit = item.hit else {
                difference.insertions.append(.init(element: item.object, path: path))
                continue
            }
            let old = oldPaths[hit]
            let move = ResultsDifference<NSManagedObject>.Move(
                element: item.object, old: [old.section, old.row], new: path)
            if unmoved.contains(number), matching.newIndex[old.section] == path[0] {
                difference.updates.append(move)
            } else {
                difference.moves.append(move)
            }
        }
    }

    /// Returns the items that are between the same unchanged objects as before, in the same relative order.
    private func unmovedItems() -> Set<Int> {
        var result: Set<Int> = []
        var begin = 0
        while begin < items.count {
            var end = begin
            while end < items.count, items[end].position == items[begin].position { end += 1 }
            let olds = items[begin..<end].map { item -> Int? in
                guard let hit = item.hit, hits[hit].index - hit == item.position else { return nil }
                return hits[hit].index
            }
            for index in LongestIncreasing.indices(of: olds) { result.insert(begin + index) }
            begin = end
        }
        return result
    }
}
