internal import Foundation

/// Sorts objects by values that are read from them once.
///
/// Each value is mapped to a 64-bit rank that approximates its order. The values themselves are compared only if the
/// ranks are equal and inexact.
struct SortTable {
    /// The ranks of an object for the first two keys.
    private struct Record {
        var first: UInt64
        var second: UInt64
        var index: Int
    }

    private var columns: [SortColumn]
    private var count = 0

    init(_ keys: [SortKey]) {
        columns = keys.map { SortColumn($0) }
    }

    /// Appends the values of objects.
    mutating func append<Object: SlotBacked>(_ objects: [Object]) {
        guard !objects.isEmpty else { return }
        for index in columns.indices { columns[index].append(objects) }
        count += objects.count
    }

    /// Returns the sorted indices of the objects, counted from 0 in the order in which they were added. The sort is
    /// stable.
    mutating func sortedIndices() -> [Int] {
        for index in columns.indices { columns[index].prepare() }
        let columns = columns
        let (first, second) = (columns[0], columns.count > 1 ? columns[1] : nil)
        var records = (0..<count).map { index in
            Record(first: first.ranks[index], second: second?.ranks[index] ?? 0, index: index)
        }
        let (firstTells, secondTells) = (first.isExact, columns.count == 2 && columns[1].isExact || columns.count == 1)
        records.sort { one, other in
            if one.first != other.first { return one.first < other.first }
            if firstTells {
                if one.second != other.second { return one.second < other.second }
                if secondTells { return one.index < other.index }
            }
            return Self.precedes(one.index, other: other.index, columns: columns)
        }
        return records.map(\.index)
    }

    private static func precedes(_ one: Int, other: Int, columns: [SortColumn]) -> Bool {
        for column in columns {
            switch column.compare(one, other) {
            case .orderedAscending: return true
            case .orderedDescending: return false
            case .orderedSame: continue
            }
        }
        return one < other
    }
}
