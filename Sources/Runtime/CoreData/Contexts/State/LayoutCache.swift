/// A context's cache of layouts, classes of objects, and entities of classes.
///
/// Confined to the queue of the context, which clears it when it gets another coordinator.
final class LayoutCache {
    /// Layouts by entity. Creating an object needs no lock thanks to this cache.
    private var layouts: [ObjectIdentifier: EntityLayout] = [:]
    /// The classes found so far, by layout.
    private var objectClasses: [ObjectIdentifier: NSManagedObject.Type] = [:]
    private var entitiesByClass: [ObjectIdentifier: NSEntityDescription] = [:]
    /// The most recently used kind of fault.
    private var lastFaultKind: FaultKind?
    /// The most recent lookups, which are usually repeated.
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

    /// Returns the layout of an entity, found with a function if it is not cached.
    func layout(for entity: NSEntityDescription, _ find: () -> EntityLayout) -> EntityLayout {
        if last.entity == ObjectIdentifier(entity), let layout = last.layout { return layout }
        let layout = layouts[ObjectIdentifier(entity)] ?? find()
        layouts[ObjectIdentifier(entity)] = layout
        (last.entity, last.layout) = (ObjectIdentifier(entity), layout)
        return layout
    }

    /// Returns the class of the objects with a layout. A class that was not found is searched again: it may become
    /// known later.
    func objectClass(of layout: EntityLayout) -> NSManagedObject.Type {
        if let cached = objectClasses[ObjectIdentifier(layout)] { return cached }
        let found = ManagedObjectClasses.objectClass(of: layout)
        let isFinal = found != NSManagedObject.self || layout.entity.managedObjectClassName == "NSManagedObject"
        if isFinal { objectClasses[ObjectIdentifier(layout)] = found }
        return found
    }

    /// Returns the recipe for faults whose IDs have a layout.
    ///
    /// - Parameters:
    ///   - idLayout: The layout of the IDs.
    ///   - find: Returns the layout that the context's objects use.
    func faultKind(_ idLayout: EntityLayout, _ find: () -> EntityLayout) -> FaultKind {
        if let lastFaultKind, lastFaultKind.idLayout === idLayout { return lastFaultKind }
        let layout = find()
        let kind = FaultKind(idLayout: idLayout, layout: layout, objectClass: objectClass(of: layout))
        if objectClasses[ObjectIdentifier(layout)] != nil { lastFaultKind = kind }
        return kind
    }

    /// Returns the entity of a class, found with a function if it is not cached.
    func entity(ofClass objectClass: NSManagedObject.Type, _ find: () -> NSEntityDescription) -> NSEntityDescription {
        if last.objectClass == ObjectIdentifier(objectClass), let entity = last.entityOfClass { return entity }
        let entity = entitiesByClass[ObjectIdentifier(objectClass)] ?? find()
        entitiesByClass[ObjectIdentifier(objectClass)] = entity
        (last.objectClass, last.entityOfClass) = (ObjectIdentifier(objectClass), entity)
        return entity
    }
}

/// The recipe for the fault of an ID: layout, entity and class.
final class FaultKind {
    let idLayout: EntityLayout
    /// The layout that the context's objects use.
    let layout: EntityLayout
    let entity: NSEntityDescription
    let objectClass: NSManagedObject.Type
    /// The layout, as passed to the object's initializer with `EntityLayout.offer`.
    let offer: Unmanaged<EntityLayout>

    init(idLayout: EntityLayout, layout: EntityLayout, objectClass: NSManagedObject.Type) {
        self.idLayout = idLayout
        self.layout = layout
        self.objectClass = objectClass
        entity = layout.entity
        offer = .passUnretained(layout)
    }
}
