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
        set = Set(objects)
        return set
    }

    /// Returns the set of objects that were saved.
    func known(_ objects: [NSManagedObject]) -> Set<NSManagedObject> { areSame(objects) ? set : Set(objects) }

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
