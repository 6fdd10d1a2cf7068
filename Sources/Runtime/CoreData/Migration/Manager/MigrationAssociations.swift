internal import Foundation

/// A compact key of a managed object, so that a migration can track millions of them.
struct MigrationKey: Hashable, Comparable {
    /// The number of the entity and store; -1 for retained objects.
    var table: Int32
    /// The number of the row or of the retained object.
    var number: Int64

    static func < (first: MigrationKey, second: MigrationKey) -> Bool {
        (first.table, first.number) < (second.table, second.number)
    }
}

/// Assigns keys to the objects of a context.
final class MigrationKeys {
    private var tables: [(layout: EntityLayout, storeIdentity: StoreIdentity)] = []
    /// Retained objects that no row number identifies: new ones, and those of stores whose references are not numbers.
    private var kept: [Int64: NSManagedObject] = [:]
    private var numbersOfRetained: [ObjectIdentifier: Int64] = [:]
    private var nextNumber: Int64 = 0

    func key(of object: NSManagedObject) -> MigrationKey {
        if let key = rowKey(of: object) { return key }
        if let number = numbersOfRetained[ObjectIdentifier(object)] { return MigrationKey(table: -1, number: number) }
        let number = nextNumber
        nextNumber += 1
        numbersOfRetained[ObjectIdentifier(object)] = number
        kept[number] = object
        return MigrationKey(table: -1, number: number)
    }

    func object(of key: MigrationKey, in context: NSManagedObjectContext) -> NSManagedObject? {
        guard key.table >= 0 else { return kept[key.number] }
        guard tables.indices.contains(Int(key.table)) else { return nil }
        let (layout, storeIdentity) = tables[Int(key.table)]
        return context.object(with: NSManagedObjectID(key: key.number, layout: layout, storeIdentity: storeIdentity))
    }

    /// Returns the row key of a retained object that has been saved, or the key itself if it has no row.
    func settled(_ key: MigrationKey) -> MigrationKey {
        guard key.table < 0, let object = kept[key.number] else { return key }
        return rowKey(of: object) ?? key
    }

    /// Releases the retained objects that have a row, whose keys have been settled, and those that were deleted.
    func releaseKept() {
        for (number, object) in kept
        where rowKey(of: object) != nil || object.isDeleted || object.managedObjectContext == nil {
            kept[number] = nil
            numbersOfRetained[ObjectIdentifier(object)] = nil
        }
    }

    private func rowKey(of object: NSManagedObject) -> MigrationKey? {
        guard !object.hasTemporaryID, !object.isInserted else { return nil }
        let id = object.objectID
        guard case .number(let number) = id.reference, let storeIdentity = id.storeIdentity else { return nil }
        if let index = tables.lastIndex(where: { $0.layout === id.layout && $0.storeIdentity === storeIdentity }) {
            return MigrationKey(table: Int32(index), number: number)
        }
        tables.append((id.layout, storeIdentity))
        return MigrationKey(table: Int32(tables.count - 1), number: number)
    }
}

/// The associations of an entity mapping's destination objects with the source objects they were created from.
struct MigrationAssociations {
    /// A source object and a destination object.
    struct Pair {
        var source: MigrationKey
        var destination: MigrationKey
    }

    /// The associations, in order of creation.
    private(set) var pairs: [Pair] = []
    /// The index of the first pair whose destination may still be an unsaved object.
    private var settledCount = 0
    private var sources = PositionIndex()
    /// The settled destinations.
    private var destinations = PositionIndex()
    /// The other destinations, whose keys change when they are saved.
    private var unsettled: [MigrationKey: [Int]] = [:]

    mutating func add(_ source: MigrationKey, _ destination: MigrationKey) {
        sources.add(source, after: pairs.last?.source, at: pairs.count)
        unsettled[destination, default: []].append(pairs.count)
        pairs.append(Pair(source: source, destination: destination))
    }

    /// Replaces the keys of destination objects that have been saved.
    mutating func finish(_ keys: MigrationKeys) {
        guard settledCount < pairs.count else { return }
        for index in settledCount..<pairs.count {
            let key = keys.settled(pairs[index].destination)
            pairs[index].destination = key
            destinations.add(key, after: index > 0 ? pairs[index - 1].destination : nil, at: index)
        }
        settledCount = pairs.count
        unsettled.removeAll(keepingCapacity: true)
    }

    /// Returns the destination objects of a source object.
    mutating func destinations(of source: MigrationKey) -> [MigrationKey] {
        sources.positions(of: source, count: pairs.count) { [pairs] in pairs[$0].source }.map { pairs[$0].destination }
    }

    /// Returns the source objects of a destination object.
    mutating func sources(of destination: MigrationKey) -> [MigrationKey] {
        let settled = destinations.positions(of: destination, count: settledCount) { [pairs] in pairs[$0].destination }
        return (settled + (unsettled[destination] ?? [])).map { pairs[$0].source }
    }
}

/// Finds the positions of keys in a list: by binary search while the keys ascend, which takes no memory, otherwise in a
/// table.
private struct PositionIndex {
    private var isSorted = true
    /// The first position of each key, and the others. Built on the first lookup among keys that do not ascend.
    private var first: [MigrationKey: Int32]?
    private var others: [MigrationKey: [Int32]] = [:]

    /// Records a key at the end of the list.
    mutating func add(_ key: MigrationKey, after last: MigrationKey?, at position: Int) {
        if let last, key < last { isSorted = false }
        if first != nil { insert(key, position) }
    }

    private mutating func insert(_ key: MigrationKey, _ position: Int) {
        let position = Int32(truncatingIfNeeded: position)
        if first?[key] == nil { first?[key] = position } else { others[key, default: []].append(position) }
    }

    /// Returns the positions of a key among the first keys of the list, in ascending order.
    mutating func positions(of key: MigrationKey, count: Int, at keys: (Int) -> MigrationKey) -> [Int] {
        guard !isSorted else {
            var (low, high) = (0, count)
            while low < high {
                let middle = (low + high) / 2
                if keys(middle) < key { low = middle + 1 } else { high = middle }
            }
            return Array((low..<count).prefix { keys($0) == key })
        }
        if first == nil {
            first = [:]
            for position in 0..<count { insert(keys(position), position) }
        }
        return ((first?[key]).map { [$0] } ?? []).map(Int.init) + (others[key] ?? []).map(Int.init)
    }
}
