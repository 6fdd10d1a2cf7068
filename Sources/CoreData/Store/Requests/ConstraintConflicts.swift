/// Values of a save that must be unique and are not.
struct ConstraintConflicts: Error, @unchecked Sendable {
    /// One combination of values.
    struct Conflict {
        /// The names of the attributes that must be unique together.
        var constraint: [String]
        /// The objects of the save that have the values; a single one only if a stored object has them too.
        var objects: [NSManagedObject]
        /// The stored object that has the values too, and is not part of the save.
        var stored: NSManagedObjectID?
    }

    var conflicts: [Conflict]
}
