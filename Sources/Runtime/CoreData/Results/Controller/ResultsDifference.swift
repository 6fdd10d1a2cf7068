internal import Foundation

/// The changes to results: old index paths refer to before all changes, new ones to after them.
struct ResultsDifference<Element> {
    /// An element and its index path.
    struct Position {
        var element: Element
        var path: IndexPath
    }

    /// An element and its old and new index paths.
    struct Move {
        var element: Element
        var old: IndexPath
        var new: IndexPath
    }

    /// The indices of deleted sections.
    var deletedSections: [Int] = []
    /// The indices of inserted sections.
    var insertedSections: [Int] = []
    var deletions: [Position] = []
    var insertions: [Position] = []
    var moves: [Move] = []
    var updates: [Move] = []

    var isEmpty: Bool {
        deletedSections.isEmpty && insertedSections.isEmpty && deletions.isEmpty && insertions.isEmpty && moves.isEmpty
            && updates.isEmpty
    }
}

extension ResultsDifference where Element: Hashable {
    /// Creates the difference between two lists with sections.
    ///
    /// - Parameters:
    ///   - old: The names and elements of the old sections.
    ///   - new: The names and elements of the new sections.
    ///   - isUpdated: Returns whether an element that keeps its position has changed.
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
            // Elements that were in this section before stay if their relative order is unchanged.
            let oldRows = part.elements.map { element -> Int? in
                guard let path = oldPaths[element], matching.newIndex[path.section] == section else { return nil }
                return path.row
            }
            let kept = LongestIncreasing.indices(of: oldRows)
            for (row, element) in part.elements.enumerated() {
                let path = IndexPath(row: row, section: section)
                guard let old = oldPaths.removeValue(forKey: element) else {
                    insertions.append(Position(element: element, path: path))
                    continue
                }
                let move = Move(element: element, old: [old.section, old.row], new: path)
                if !kept.contains(row) { moves.append(move) } else if isUpdated(element) { updates.append(move) }
            }
        }
        deletions = oldPaths.map { Position(element: $0.key, path: [$0.value.section, $0.value.row]) }
            .sorted { $0.path < $1.path }
    }
}

/// The correspondence of old and new sections. Sections cannot move: of those that change their order, some are deleted
/// and inserted.
struct SectionMatching {
    /// The new index of each old section; `nil` for a deleted one.
    private(set) var newIndex: [Int?]
    private(set) var deleted: [Int] = []
    private(set) var inserted: [Int] = []

    /// - Parameters:
    ///   - old: The names of the old sections.
    ///   - new: The names of the new sections.
    ///   - fixed: The indices of old sections that must stay, and are in the same order in both.
    init(old: [String], new: [String], fixed: Set<Int>) {
        newIndex = [Int?](repeating: nil, count: old.count)
        guard old != new else {
            newIndex = old.indices.map { $0 }
            return
        }
        let oldByName = Dictionary(old.enumerated().map { ($1, $0) }) { first, _ in first }
        var olds = new.map { oldByName[$0] }
        // Sections that are not between the fixed ones around them cannot stay.
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

/// Finds the elements that have kept their order.
enum LongestIncreasing {
    /// Returns the indices of a longest increasing subsequence, ignoring `nil`.
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
        // The smallest last elements of increasing subsequences of each length, and each element's predecessor.
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
