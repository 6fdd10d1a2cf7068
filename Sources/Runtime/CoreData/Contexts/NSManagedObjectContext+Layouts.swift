internal import RuntimeSupport

/// Entities and layouts of a context's objects.
extension NSManagedObjectContext {
    /// Returns the layout that this context's objects use for an entity. Traps if the entity belongs to another model.
    final func layout(for entity: NSEntityDescription) -> EntityLayout {
        layoutCache.layout(for: entity) {
            guard let coordinator = persistentStoreCoordinator else { return entity.objectLayout() }
            guard let layout = coordinator.layout(for: entity) else {
                misuse(
                    "NSInvalidArgumentException",
                    "the entity “\(entity.name ?? "")” is not in the model of the context's coordinator")
            }
            return layout
        }
    }

    /// Returns the recipe for faults of a layout's objects.
    final func faultKind(_ idLayout: EntityLayout) -> FaultKind {
        layoutCache.faultKind(idLayout) { layout(for: idLayout.entity) }
    }

    final func entity(ofClass objectClass: NSManagedObject.Type) -> NSEntityDescription {
        layoutCache.entity(ofClass: objectClass) {
            guard let model = persistentStoreCoordinator?.managedObjectModel else { return objectClass.entity() }
            return ManagedObjectClasses.entity(of: objectClass, in: model)
        }
    }
}
