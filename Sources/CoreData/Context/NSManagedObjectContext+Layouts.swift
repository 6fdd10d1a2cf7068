/// The model as a context's objects use it.
extension NSManagedObjectContext {
    /// The layout of an entity as this context's objects use it. An entity of another model traps.
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

    /// What is needed to make the objects of IDs with a layout.
    final func faultKind(_ known: EntityLayout) -> FaultKind {
        layoutCache.faultKind(known) { layout(for: known.entity) }
    }

    /// The entity with a class.
    final func entity(ofClass objectClass: NSManagedObject.Type) -> NSEntityDescription {
        layoutCache.entity(ofClass: objectClass) {
            guard let model = persistentStoreCoordinator?.managedObjectModel else { return objectClass.entity() }
            return ManagedObjectClasses.entity(of: objectClass, in: model)
        }
    }
}
