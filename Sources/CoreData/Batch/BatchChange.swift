internal import Foundation

/// The entity of a batch request: an entity description, or a name to look up in the executing context's model.
enum RequestedEntity {
    case name(String)
    case description(NSEntityDescription)

    /// The name.
    var name: String {
        switch self {
        case .name(let name): name
        case .description(let entity): entity.name ?? ""
        }
    }

    /// The entity, if it is known.
    var description: NSEntityDescription? {
        if case .description(let entity) = self { entity } else { nil }
    }
}

/// What a batch request asks a store to do, in terms of layouts and slots. The request has been checked: slots are of the kinds
/// that they must be, values of the types.
struct BatchChange {
    /// What is done.
    enum Kind {
        /// New objects: `values` returns the next one on each call, and nil at the end.
        case insert(values: () throws -> NewObject?)
        /// New values for the objects that `settings` asks for.
        case update([Assignment])
        /// The deletion of the objects that `settings` asks for.
        case delete(DeletedObjects)
    }

    /// A new object.
    struct NewObject {
        /// The attributes by slot, with defaults; as long as the layout's slots. Relationships are null.
        var values: [SlotValue]
        /// The slots that the request has named; nil for all attributes.
        var given: [Int]?
    }

    /// A new value.
    struct Assignment {
        /// An attribute or to-one relationship, not transient.
        var slot: Int
        var value: Value

        enum Value {
            /// The same for all objects; a to-one relationship as `.reference`.
            case constant(SlotValue)
            /// Asked of each object as it was before.
            case expression(NSExpression)
        }
    }

    /// Which objects are deleted.
    enum DeletedObjects {
        /// Those that `settings` asks for.
        case found
        /// These. Those that are not there are no error, and are not counted.
        case listed([NSManagedObjectID])
    }

    var kind: Kind
    /// The layout of the entity.
    var layout: EntityLayout
    /// The objects that are meant: entity, predicate, subentities; for deletions also order, limit and offset. Unsaved changes
    /// of contexts do not count.
    var settings: FetchSettings
    /// Whether the result needs the IDs of all objects; else their number will do.
    var needsIDs: Bool
    /// The original request, for custom stores.
    var request: NSPersistentStoreRequest
    /// The author of the changes, for the history.
    var author: String?
    /// The name of the context that executes the request, for the history.
    var contextName: String?
    /// The merge policy of the context, for new objects whose values must be unique.
    var mergeType = NSMergePolicyType.errorMergePolicyType
}

/// What a store did.
struct BatchOutcome {
    /// The number of objects.
    var count = 0
    /// Their IDs, if they were wanted.
    var ids: [NSManagedObjectID] = []

    /// Adds what another store did.
    mutating func add(_ other: BatchOutcome) {
        count += other.count
        ids += other.ids
    }
}
