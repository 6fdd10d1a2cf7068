internal import Foundation

/// A short name of a managed object, so that a migration can remember millions.
struct MigrationKey: Hashable, Comparable {
    /// The number of the entity and store; -1 for objects that are kept themselves.
    var table: Int32
    /// The number of the row, or of the kept object.
    var number: Int64

    static func < (first: MigrationKey, second: MigrationKey) -> Bool {
        (first.table, first.number) < (second.table, second.number)
    }
}

/// Gives objects of a context their keys.
final class MigrationKeys {
    private var tables: [(layout: EntityLayout, place: StorePlace)] = []
    /// Objects without a row that could name them: new ones, and those of stores with other references than numbers.
    private var kept: [NSManagedObject] = []
    private var keptNumbers: [ObjectIdentifier: Int] = [:]

    /// The key of an object.
    func key(of object: NSManagedObject) -> MigrationKey {
        if let number = keptNumbers[ObjectIdentifier(object)] { return MigrationKey(table: -1, number: Int64(number)) }
        if let key = rowKey(of: object) { return key }
        keptNumbers[ObjectIdentifier(object)] = kept.count
        kept.append(object)
        return MigrationKey(table: -1, number: Int64(kept.count - 1))
    }

    /// The object of a key.
    func object(of key: MigrationKey, in context: NSManagedObjectContext) -> NSManagedObject? {
        let number = Int(key.number)
        guard key.table >= 0 else { return kept.indices.contains(number) ? kept[number] : nil }
        guard tables.indices.contains(Int(key.table)) else { return nil }
        let (layout, place) = tables[Int(key.table)]
        return context.object(with: NSManagedObjectID(key.number, layout, place))
    }

    /// Returns the key that a kept object has now that it is saved; the key itself if it has no row.
    func settled(_ key: MigrationKey) -> MigrationKey {
        guard key.table < 0, kept.indices.contains(Int(key.number)) else { return key }
        return rowKey(of: kept[Int(key.number)]) ?? key
    }

    /// Lets go of kept objects, whose keys have been settled. A no-op if one of them has no row.
    func releaseKept() {
        guard kept.allSatisfy({ rowKey(of: $0) != nil }) else { return }
        kept = []
        keptNumbers = [:]
    }

    private func rowKey(of object: NSManagedObject) -> MigrationKey? {
        guard !object.hasTemporaryID, !object.isInserted else { return nil }
        let id = object.objectID
        guard case .number(let number) = id.reference, let place = id.place else { return nil }
        if let index = tables.lastIndex(where: { $0.layout === id.layout && $0.place === place }) {
            return MigrationKey(table: Int32(index), number: number)
        }
        tables.append((id.layout, place))
        return MigrationKey(table: Int32(tables.count - 1), number: number)
    }
}

/// Which destination objects of an entity mapping were made from which source objects.
struct MigrationAssociations {
    /// A source object and a destination object.
    struct Pair {
        var source: MigrationKey
        var destination: MigrationKey
    }

    /// The associations, in the order in which they were made.
    private(set) var pairs: [Pair] = []
    /// The first pair whose destination may still be an unsaved object.
    private var settledCount = 0
    /// Whether the sources come in the order of their keys, so that they are found by binary search.
    private var isSorted = true
    private var bySource: [MigrationKey: [Int]]?
    private var byDestination: [MigrationKey: [Int]]?

    /// Adds an association.
    mutating func add(_ source: MigrationKey, _ destination: MigrationKey) {
        if let last = pairs.last, source < last.source { isSorted = false }
        pairs.append(Pair(source: source, destination: destination))
        bySource?[source, default: []].append(pairs.count - 1)
        byDestination?[destination, default: []].append(pairs.count - 1)
    }

    /// Replaces the keys of destination objects that have been saved.
    mutating func settle(_ keys: MigrationKeys) {
        for index in settledCount..<pairs.count { pairs[index].destination = keys.settled(pairs[index].destination) }
        settledCount = pairs.count
        byDestination = nil
    }

    /// The destination objects of a source object.
    mutating func destinations(of source: MigrationKey) -> [MigrationKey] {
        if isSorted {
            var (low, high) = (0, pairs.count)
            while low < high {
                let middle = (low + high) / 2
                if pairs[middle].source < source { low = middle + 1 } else { high = middle }
            }
            return pairs[low...].prefix { $0.source == source }.map(\.destination)
        }
        if bySource == nil {
            bySource = Dictionary(grouping: pairs.indices, by: { [pairs] in pairs[$0].source })
        }
        return (bySource?[source] ?? []).map { pairs[$0].destination }
    }

    /// The source objects of a destination object.
    mutating func sources(of destination: MigrationKey) -> [MigrationKey] {
        if byDestination == nil {
            byDestination = Dictionary(grouping: pairs.indices, by: { [pairs] in pairs[$0].destination })
        }
        return (byDestination?[destination] ?? []).map { pairs[$0].source }
    }
}
