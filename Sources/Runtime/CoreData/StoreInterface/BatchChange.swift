internal import Foundation

/// The entity of a batch request: an entity description, or a name to look up in the executing context's model.
enum RequestedEntity {
    case name(String)
    case description(NSEntityDescription)

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

/// A validated batch request in terms of layouts and slots, with slots and values of the correct kinds and types.
package struct BatchChange {
    /// The kind of change.
    package enum Kind {
        /// An insertion: `values` returns the next object on each call, and `nil` at the end.
        case insert(values: () throws -> NewObject?)
        /// An update of the objects that `settings` matches.
        case update([Assignment])
        case delete(DeletedObjects)
    }

    package struct NewObject {
        /// The attributes by slot, including defaults. Has one element per slot of the layout; relationships are null.
        package var values: [SlotValue]
        /// The slots that the request sets; `nil` for all attributes.
        var given: [Int]?
    }

    /// A new value.
    package struct Assignment {
        /// An attribute or to-one relationship, not transient.
        package var slot: Int
        package var value: Value

        package enum Value {
            /// The same value for all objects; a `.reference` for a to-one relationship.
            case constant(SlotValue)
            /// An expression that is evaluated with each object's old values.
            case expression(NSExpression)
        }
    }

    package enum DeletedObjects {
        /// The objects that `settings` matches.
        case found
        /// The listed objects. Missing ones are neither an error nor counted.
        case listed([NSManagedObjectID])
    }

    package var kind: Kind
    package var layout: EntityLayout
    /// The settings that match the objects: entity, predicate, subentities; for deletions also order, limit and offset.
    /// Unsaved changes of contexts are ignored.
    package var settings: FetchSettings
    /// Whether the result needs the IDs of all objects rather than just their number.
    package var needsIDs: Bool
    /// The original request, for custom stores.
    var request: NSPersistentStoreRequest
    /// The author of the changes, for the history.
    package var author: String?
    /// The name of the context that executes the request, for the history.
    package var contextName: String?
    /// The merge policy of the context, for new objects that violate a uniqueness constraint.
    package var mergeType = NSMergePolicyType.errorMergePolicyType
}

/// What a store lets its caller do for a batch request, because SQL cannot express it. The caller reads the store's
/// state within the request's transaction.
package struct BatchEvaluation {
    /// Returns the IDs of the objects that settings match.
    package var matching: (FetchSettings) throws -> [NSManagedObjectID]
    /// Returns the values of the assignments that have an expression, for each object by slot.
    ///
    /// - Throws: An error of Cocoa's domain with the code 134030 if a property cannot have its value.
    package var values: ([BatchChange.Assignment], [NSManagedObjectID]) throws -> [[Int: SlotValue]]
    /// Calls a function with the values of derived attributes of each object, by slot, and the number of the object.
    /// Each is computed after the function has returned for the object before it.
    package var forEachDerived:
        ([Int], [NSManagedObjectID], (Int, [(slot: Int, value: SlotValue)]) throws -> Void) throws -> Void
}

/// The outcome of a batch request in a store.
package struct BatchOutcome {
    /// The number of objects.
    package var count = 0
    /// The IDs of the objects, if requested.
    package var ids: [NSManagedObjectID] = []

    package init(count: Int = 0, ids: [NSManagedObjectID] = []) {
        self.count = count
        self.ids = ids
    }

    /// Adds the outcome in another store.
    mutating func add(_ other: BatchOutcome) {
        count += other.count
        ids += other.ids
    }
}
