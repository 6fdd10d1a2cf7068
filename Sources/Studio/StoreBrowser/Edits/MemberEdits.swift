internal import CoreData
internal import Foundation

/// How unsaved edits change to-many relationships, so that SQL can count and read what they do not concern.
final class MemberEdits {
    /// The destinations that edits took away from an object's relationship and gave to it.
    typealias Change = (removed: [NSManagedObject], added: [NSManagedObject])

    private let context: NSManagedObjectContext
    private lazy var edited = context.insertedObjects.union(context.updatedObjects).union(context.deletedObjects)
        .sorted { $0.objectID.precedes($1.objectID) }
    /// The changes by relationship and object.
    private var changes: [ObjectIdentifier: [NSManagedObjectID: Change]] = [:]

    init(_ context: NSManagedObjectContext) {
        self.context = context
    }

    /// Returns the change of an object's to-many relationship, which has an inverse.
    func members(of object: NSManagedObject, _ relationship: NSRelationshipDescription) -> Change {
        guard context.hasChanges, let inverse = relationship.inverseRelationship else { return ([], []) }
        let key = ObjectIdentifier(relationship)
        let edits = changes[key] ?? changes(relationship, inverse.name)
        changes[key] = edits
        return edits[object.objectID] ?? ([], [])
    }

    private func changes(
        _ relationship: NSRelationshipDescription, _ inverse: String
    ) -> [NSManagedObjectID: Change] {
        guard let destination = relationship.destinationEntity else { return [:] }
        var result: [NSManagedObjectID: Change] = [:]
        for member in edited where member.entity.isKindOf(entity: destination) {
            let old = member.isInserted ? [] : Self.owners(member.committedValues(forKeys: [inverse])[inverse])
            let new = member.isDeleted ? [] : Self.owners(member.value(forKey: inverse))
            for owner in old.subtracting(new) { result[owner, default: ([], [])].removed.append(member) }
            for owner in new.subtracting(old) { result[owner, default: ([], [])].added.append(member) }
        }
        return result
    }

    private static func owners(_ value: Any?) -> Set<NSManagedObjectID> {
        switch value {
        case let object as NSManagedObject: [object.objectID]
        case let objects as NSOrderedSet: Set(objects.array.compactMap { ($0 as? NSManagedObject)?.objectID })
        case let objects as NSSet: Set(objects.allObjects.compactMap { ($0 as? NSManagedObject)?.objectID })
        case let objects as Set<NSManagedObject>: Set(objects.map(\.objectID))
        default: []
        }
    }
}
