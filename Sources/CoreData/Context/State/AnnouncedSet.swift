internal import Foundation

/// A set of objects in a notification of changes, kept until they are saved: the notification of the save mostly has the same set,
/// and making a set of many objects takes longer than writing them.
struct AnnouncedSet {
    private var objects: [NSManagedObject] = []
    private var set: Set<NSManagedObject> = []

    /// Returns the set of some changed objects.
    mutating func set(of objects: [NSManagedObject]) -> Set<NSManagedObject> {
        if areSame(objects) { return set }
        self.objects = objects
        set = Set(distinct: objects)
        return set
    }

    /// Returns the set of objects that were saved.
    func known(_ objects: [NSManagedObject]) -> Set<NSManagedObject> { areSame(objects) ? set : Set(distinct: objects) }

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
    /// Creates a set of objects or IDs. They are compared one by one where their places in the table are taken, which takes longer than
    /// all else: a table with more room has fewer such places.
    init(distinct objects: [Element]) {
        // A table grows by powers of two, so that large ones have room enough on average.
        self.init(minimumCapacity: objects.count < 1 << 16 ? objects.count * 2 : objects.count)
        objects.forEachUncounted { insert($0) }
    }
}
