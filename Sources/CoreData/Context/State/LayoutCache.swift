/// A context's cache of layouts, classes of objects, and entities of classes.
///
/// Confined to the queue of the context, which clears it when it gets another coordinator.
final class LayoutCache {
    /// Layouts by entity, so that making an object takes no lock.
    private var layouts: [ObjectIdentifier: EntityLayout] = [:]
    /// The classes of objects by layout, as far as they have been found.
    private var objectClasses: [ObjectIdentifier: NSManagedObject.Type] = [:]
    private var entitiesByClass: [ObjectIdentifier: NSEntityDescription] = [:]
    /// What faults were made with last.
    private var lastFaultKind: FaultKind?
    /// What was looked up last, which mostly is what is looked up next.
    @exclusivity(unchecked) private var last = Last()

    private struct Last {
        var entity: ObjectIdentifier?
        var layout: EntityLayout?
        var objectClass: ObjectIdentifier?
        var entityOfClass: NSEntityDescription?
    }

    /// Clears the cache.
    func removeAll() {
        layouts = [:]
        objectClasses = [:]
        entitiesByClass = [:]
        lastFaultKind = nil
        last = Last()
    }

    /// Returns the layout of an entity, which a function looks up if it is not known.
    func layout(for entity: NSEntityDescription, _ find: () -> EntityLayout) -> EntityLayout {
        if last.entity == ObjectIdentifier(entity), let layout = last.layout { return layout }
        let layout = layouts[ObjectIdentifier(entity)] ?? find()
        layouts[ObjectIdentifier(entity)] = layout
        (last.entity, last.layout) = (ObjectIdentifier(entity), layout)
        return layout
    }

    /// Returns the class of the objects with a layout. One that was not found is looked for again: it may be known later.
    func objectClass(of layout: EntityLayout) -> NSManagedObject.Type {
        if let known = objectClasses[ObjectIdentifier(layout)] { return known }
        let found = ManagedObjectClasses.objectClass(of: layout)
        let isFinal = found != NSManagedObject.self || layout.entity.managedObjectClassName == "NSManagedObject"
        if isFinal { objectClasses[ObjectIdentifier(layout)] = found }
        return found
    }

    /// Returns what is needed to make the objects of IDs with a layout.
    ///
    /// - Parameters:
    ///   - known: the layout that the IDs have.
    ///   - find: gives the layout that the context's objects have.
    func faultKind(_ known: EntityLayout, _ find: () -> EntityLayout) -> FaultKind {
        if let lastFaultKind, lastFaultKind.known === known { return lastFaultKind }
        let layout = find()
        let kind = FaultKind(known, layout, objectClass(of: layout))
        if objectClasses[ObjectIdentifier(layout)] != nil { lastFaultKind = kind }
        return kind
    }

    /// Returns the entity of a class, which a function looks up if it is not known.
    func entity(ofClass objectClass: NSManagedObject.Type, _ find: () -> NSEntityDescription) -> NSEntityDescription {
        if last.objectClass == ObjectIdentifier(objectClass), let entity = last.entityOfClass { return entity }
        let entity = entitiesByClass[ObjectIdentifier(objectClass)] ?? find()
        entitiesByClass[ObjectIdentifier(objectClass)] = entity
        (last.objectClass, last.entityOfClass) = (ObjectIdentifier(objectClass), entity)
        return entity
    }
}

/// What is needed to make the object of an ID.
final class FaultKind {
    /// As the ID knows it.
    let known: EntityLayout
    /// As the context's objects know it.
    let layout: EntityLayout
    let entity: NSEntityDescription
    let objectClass: NSManagedObject.Type
    /// The layout, to be offered to the object.
    let offer: Unmanaged<EntityLayout>

    init(_ known: EntityLayout, _ layout: EntityLayout, _ objectClass: NSManagedObject.Type) {
        self.known = known
        self.layout = layout
        self.objectClass = objectClass
        entity = layout.entity
        offer = .passUnretained(layout)
    }
}
