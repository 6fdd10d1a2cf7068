/// The violations of uniqueness constraints by a save.
package struct ConstraintConflicts: Error, @unchecked Sendable {
    /// The conflict over one combination of values.
    package struct Conflict {
        /// The names of the attributes that must be unique together.
        var constraint: [String]
        /// The changes of the objects that have the values: a single one only if a stored object also has them.
        var changes: [ObjectChange]
        /// The stored object that also has the values but is not part of the save.
        var stored: NSManagedObjectID?
    }

    package var conflicts: [Conflict]

    package init(conflicts: [Conflict]) {
        self.conflicts = conflicts
    }
}
