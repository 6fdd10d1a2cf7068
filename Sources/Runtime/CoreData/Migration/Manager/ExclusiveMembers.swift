internal import Foundation

/// The objects that a migration has made members of to-many relationships without an inverse.
///
/// Their rows have a column for the owner, so each has one. Keys outlast the objects, which leave memory when a batch
/// is saved.
struct ExclusiveMembers {
    private struct Members {
        var keys: Set<MigrationKey> = []
        /// The keys that may change when their objects are saved.
        var unsettled: [MigrationKey] = []
    }

    private let keys: MigrationKeys
    private var members: [ObjectIdentifier: Members] = [:]

    init(_ keys: MigrationKeys) {
        self.keys = keys
    }

    /// Returns whether an object is a member of some object's relationship.
    func contains(_ object: NSManagedObject, of relationship: NSRelationshipDescription) -> Bool {
        members[ObjectIdentifier(relationship)]?.keys.contains(keys.key(of: object)) == true
    }

    /// Records the members of an object's relationship. Does nothing for other kinds of relationships.
    mutating func add(_ objects: [NSManagedObject], of relationship: NSRelationshipDescription) {
        guard relationship.isToMany, relationship.inverseRelationship == nil else { return }
        for object in objects {
            let key = keys.key(of: object)
            members[ObjectIdentifier(relationship), default: Members()].keys.insert(key)
            if key.table < 0 { members[ObjectIdentifier(relationship)]?.unsettled.append(key) }
        }
    }

    /// Replaces the keys of objects that have been saved.
    mutating func finish() {
        for relationship in members.keys {
            guard let unsettled = members[relationship]?.unsettled, !unsettled.isEmpty else { continue }
            members[relationship]?.keys.subtract(unsettled)
            members[relationship]?.keys.formUnion(unsettled.map(keys.settled))
            members[relationship]?.unsettled = []
        }
    }
}
