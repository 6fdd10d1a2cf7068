internal import Foundation

/// What has happened to results: old places before all changes, new places after them.
struct ResultsDifference<Element> {
    /// An element with a place.
    struct Place {
        var element: Element
        var path: IndexPath
    }

    /// An element with its old and its new place.
    struct Move {
        var element: Element
        var old: IndexPath
        var new: IndexPath
    }

    /// The numbers of sections that went.
    var deletedSections: [Int] = []
    /// The numbers of sections that came.
    var insertedSections: [Int] = []
    var deletions: [Place] = []
    var insertions: [Place] = []
    var moves: [Move] = []
    var updates: [Move] = []

    var isEmpty: Bool {
        deletedSections.isEmpty && insertedSections.isEmpty && deletions.isEmpty && insertions.isEmpty && moves.isEmpty
            && updates.isEmpty
    }
}

extension ResultsDifference where Element: Hashable {
    /// The difference between two lists with sections.
    ///
    /// - Parameters:
    ///   - old: names and elements of the old sections.
    ///   - new: names and elements of the new sections.
    ///   - isUpdated: whether an element that stays in its place has changed.
    init(
        from old: [(name: String, elements: [Element])], to new: [(name: String, elements: [Element])],
        isUpdated: (Element) -> Bool
    ) {
        let matching = SectionMatching(old: old.map(\.name), new: new.map(\.name), fixed: [])
        deletedSections = matching.deleted
        insertedSections = matching.inserted
        var oldPaths: [Element: (section: Int, row: Int)] = [:]
        oldPaths.reserveCapacity(old.reduce(0) { $0 + $1.elements.count })
        for (section, part) in old.enumerated() {
            for (row, element) in part.elements.enumerated() { oldPaths[element] = (section, row) }
        }
        for (section, part) in new.enumerated() {
            // Those that were in this section before keep their places as far as their order is the same.
            let oldRows = part.elements.map { element -> Int? in
                guard let path = oldPaths[element], matching.newIndex[path.section] == section else { return nil }
                return path.row
            }
            let kept = LongestIncreasing.indices(of: oldRows)
            for (row, element) in part.elements.enumerated() {
                let path = IndexPath(row: row, section: section)
                guard let old = oldPaths.removeValue(forKey: element) else {
                    insertions.append(Place(element: element, path: path))
                    continue
                }
                let move = Move(element: element, old: [old.section, old.row], new: path)
                if !kept.contains(row) { moves.append(move) } else if isUpdated(element) { updates.append(move) }
            }
        }
        deletions = oldPaths.map { Place(element: $0.key, path: [$0.value.section, $0.value.row]) }
            .sorted { $0.path < $1.path }
    }
}

/// Which old sections are which new ones. Sections cannot move: of those that change their order, some are deleted and
/// inserted.
struct SectionMatching {
    /// The new number of an old section that stays.
    private(set) var newIndex: [Int?]
    private(set) var deleted: [Int] = []
    private(set) var inserted: [Int] = []

    /// - Parameters:
    ///   - old: the names of the old sections.
    ///   - new: the names of the new sections.
    ///   - fixed: numbers of old sections that must stay, and are in the same order in both.
    init(old: [String], new: [String], fixed: Set<Int>) {
        newIndex = [Int?](repeating: nil, count: old.count)
        guard old != new else {
            newIndex = old.indices.map { $0 }
            return
        }
        let oldByName = Dictionary(old.enumerated().map { ($1, $0) }) { first, _ in first }
        var olds = new.map { oldByName[$0] }
        // Those that do not stand between the fixed ones around them cannot stay.
        var before = -1
        for index in olds.indices {
            guard let old = olds[index] else { continue }
            if fixed.contains(old) { before = old } else if old < before { olds[index] = nil }
        }
        var after = old.count
        for index in olds.indices.reversed() {
            guard let old = olds[index] else { continue }
            if fixed.contains(old) { after = old } else if old > after { olds[index] = nil }
        }
        for index in LongestIncreasing.indices(of: olds) {
            if let old = olds[index] { newIndex[old] = index }
        }
        let kept = Set(newIndex.compactMap { $0 })
        deleted = old.indices.filter { newIndex[$0] == nil }
        inserted = new.indices.filter { !kept.contains($0) }
    }
}

/// Finds what has kept its order.
enum LongestIncreasing {
    /// Returns the places of a longest increasing part of a list; nil counts for nothing.
    static func indices(of values: [Int?]) -> Set<Int> {
        // The usual case: everything is in order.
        var last = Int.min
        var isSorted = true
        for case let value? in values {
            if value < last {
                isSorted = false
                break
            }
            last = value
        }
        if isSorted { return Set(values.indices.filter { values[$0] != nil }) }
        // The smallest ends of increasing parts of each length, and what comes before each place.
        var ends: [Int] = []
        var previous = [Int?](repeating: nil, count: values.count)
        for (index, value) in values.enumerated() {
            guard let value else { continue }
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if (values[ends[middle]] ?? 0) < value { low = middle + 1 } else { high = middle }
            }
            previous[index] = low > 0 ? ends[low - 1] : nil
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var result: Set<Int> = []
        var next = ends.last
        while let index = next {
            result.insert(index)
            next = previous[index]
        }
        return result
    }
}
