internal import RuntimeSupport

extension NSEntityDescription {
    /// Returns the entity with a name in the model of a context, or `nil`.
    public class func entity(forEntityName entityName: String, in context: NSManagedObjectContext)
        -> NSEntityDescription?
    {
        context.persistentStoreCoordinator?.managedObjectModel.entitiesByName[entityName]
    }

    /// Inserts a new object of an entity into a context and returns it. Traps if the model lacks the entity.
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
