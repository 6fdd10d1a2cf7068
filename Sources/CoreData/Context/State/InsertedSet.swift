internal import Foundation

/// The set of new objects that a notification of changes has told, kept until they are saved: the notification of the save
/// mostly tells the same, and a set of many objects takes longer to make than to write them.
struct InsertedSet {
    private var objects: [NSManagedObject] = []
    private var set: Set<NSManagedObject> = []

    /// The set of some new objects.
    mutating func set(of objects: [NSManagedObject]) -> Set<NSManagedObject> {
        if areSame(objects) { return set }
        self.objects = objects
        set = Set(objects)
        return set
    }

    /// The set of objects that were saved.
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
