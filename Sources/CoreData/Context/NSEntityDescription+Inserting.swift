extension NSEntityDescription {
    /// The entity of a name in the model of a context; nil for none.
    public class func entity(forEntityName entityName: String, in context: NSManagedObjectContext)
        -> NSEntityDescription?
    {
        context.persistentStoreCoordinator?.managedObjectModel.entitiesByName[entityName]
    }

    /// A new object of an entity in a context. An entity that the model does not have stops the program.
    public class func insertNewObject(
        forEntityName entityName: String, into context: NSManagedObjectContext
    ) -> NSManagedObject {
        guard let entity = entity(forEntityName: entityName, in: context) else {
            misuse(
                "NSInvalidArgumentException",
                "+entityForName: could not locate an NSManagedObjectModel for entity name '\(entityName)' in the context"
            )
        }
        let layout = context.layout(for: entity)
        return ManagedObjectClasses.objectClass(of: layout).init(entity: entity, insertInto: context)
    }
}
