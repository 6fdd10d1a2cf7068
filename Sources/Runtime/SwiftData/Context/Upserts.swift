internal import CoreData

/// The objects that the merge policy has deleted during a save because others have the same unique values. Their models
/// go on with these: an insertion that collides with a stored row updates that row.
struct Upserts {
    private struct Replacement {
        let lost: ModelObject
        let retained: ModelObject
        let isNew: Bool
    }

    private var replacements: [Replacement] = []
    /// The new models that use the objects of stored rows although no save has succeeded yet.
    private(set) var pending: [any PersistentModel] = []

    mutating func record(_ lost: ModelObject, _ retained: ModelObject) {
        replacements.append(Replacement(lost: lost, retained: retained, isNew: lost.isInserted))
    }

    /// Lets models use the remaining objects, after a save.
    mutating func attachAll(in context: ModelContext) {
        attach(replacements, in: context)
        self = Upserts()
    }

    /// Lets the models of new objects use the remaining ones, after a failed save: the new objects have left the
    /// context. Stored objects stay in it until a save deletes them.
    mutating func attachNew(in context: ModelContext) {
        let attached = attach(replacements.filter(\.isNew), in: context)
        pending += attached
        replacements.removeAll(where: \.isNew)
    }

    @discardableResult
    private func attach(_ list: [Replacement], in context: ModelContext) -> [any PersistentModel] {
        var next: [ObjectIdentifier: ModelObject] = [:]
        for replacement in replacements {
            next[ObjectIdentifier(replacement.lost)] = replacement.retained
            // It may have been inserted again.
            next[ObjectIdentifier(replacement.retained)] = nil
        }
        return list.compactMap { replacement in
            guard var retained = next[ObjectIdentifier(replacement.lost)] else { return nil }
            while let last = next[ObjectIdentifier(retained)] { retained = last }
            guard let model = replacement.lost.model as? any PersistentModel,
                let binding = context.binding(of: retained.entity)
            else { return nil }
            model.core.attach(retained, binding: binding)
            if retained.model == nil { retained.model = model }
            return model
        }
    }
}

/// The changes of a context win, except that an object cannot replace one of another entity, which has other
/// properties.
final class ModelMergePolicy: NSMergePolicy, @unchecked Sendable {
    init() { super.init(merge: .mergeByPropertyObjectTrumpMergePolicyType) }

    override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        for conflict in list {
            let objects = conflict.conflictingObjects + [conflict.databaseObject].compactMap { $0 }
            guard objects.contains(where: { $0.entity !== objects[0].entity }) else { continue }
            // What the policy throws that resolves nothing.
            try NSMergePolicy.error.resolve(constraintConflicts: list)
        }
    }
}
