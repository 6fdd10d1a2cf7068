internal import RuntimeSupport

/// The permanent IDs of the new objects of a save.
///
/// Child contexts, which may know the objects by their temporary IDs, learn of them when the outcome is known.
struct NewIDs {
    private let context: NSManagedObjectContext
    private let makeIDs: ([NSManagedObject]) throws -> [NSManagedObjectID]
    private var objects: [NSManagedObject] = []
    /// The identities with the temporary IDs.
    private var old: [NSManagedObject.Identity] = []

    /// - Parameter makeIDs: Returns permanent IDs for objects, in their order.
    init(_ context: NSManagedObjectContext, makeIDs: @escaping ([NSManagedObject]) throws -> [NSManagedObjectID]) {
        self.context = context
        self.makeIDs = makeIDs
    }

    /// Assigns permanent IDs to those of the objects that have none.
    mutating func assign(to all: [NSManagedObject]) throws {
        let new = all.filterUncounted { $0.isMarkedInserted && $0.hasTemporaryID }
        guard !new.isEmpty else { return }
        let ids = try makeIDs(new)
        objects += new
        old.reserveCapacity(objects.count)
        let notifiesChildren = !context.childContexts.isEmpty
        for (object, id) in zip(new, ids) {
            // The temporary ID is created on demand; without children, none needs it.
            if notifiesChildren { _ = object.directID }
            old.append(object.identity)
            context.setID(id, of: object, isNew: false)
        }
    }

    /// Restores the temporary IDs of objects that were not saved, except those that a merge policy has removed from
    /// the context.
    func restoreTemporaryIDs(where isUnsaved: (NSManagedObject) -> Bool) {
        for (object, identity) in zip(objects, old) where object.directContext === context && isUnsaved(object) {
            context.setIdentity(identity, of: object)
        }
    }

    /// Announces the IDs of saved objects to child contexts.
    func announcePermanentIDs(where isSaved: (NSManagedObject) -> Bool) {
        guard !context.childContexts.isEmpty else { return }
        for (object, identity) in zip(objects, old) where isSaved(object) {
            if let id = identity.id { context.renames.add(id, object.directID) }
        }
    }
}
