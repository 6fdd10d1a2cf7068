internal import Foundation
internal import RuntimeSupport

/// A set of objects in a notification of changes, kept until they are saved: the notification of the save usually has
/// the same set, and building a set of many objects takes longer than writing them.
struct AnnouncedSet {
    private var objects: [NSManagedObject] = []
    private var set: Set<NSManagedObject> = []

    /// Returns the set of some changed objects.
    mutating func set(of objects: [NSManagedObject]) -> Set<NSManagedObject> {
        WorkCount.record(objects.count)
        if areSame(objects) { return set }
        self.objects = objects
        set = Set(distinct: objects)
        return set
    }

    /// Returns the set of saved objects: the announced one, if it has the same objects.
    func savedSet(of objects: [NSManagedObject]) -> Set<NSManagedObject> {
        areSame(objects) ? set : Set(distinct: objects)
    }

    private func areSame(_ other: [NSManagedObject]) -> Bool {
        guard objects.count == other.count, !other.isEmpty else { return false }
        return objects.withUnsafeBytes { one in
            other.withUnsafeBytes { two in
                guard let one = one.baseAddress, let two = two.baseAddress else { return false }
                return memcmp(one, two, other.count * MemoryLayout<NSManagedObject>.stride) == 0
            }
        }
    }
}

extension Set where Element: AnyObject {
    /// Creates a set of objects or IDs that are known to be distinct. Reserves extra capacity, because comparing
    /// colliding elements would dominate the cost.
    init(distinct objects: [Element]) {
        // A table grows by powers of two, so large ones have enough room on average.
        self.init(minimumCapacity: objects.count < 1 << 16 ? objects.count * 2 : objects.count)
        objects.forEachUncounted { insert($0) }
    }
}
