import CoreData

// Code in the style of libraries over Core Data: generic over the class of the objects. It compiles, or the module is
// not a drop-in.

/// The protocol on which the libraries' repositories are based.
protocol Insertable: NSManagedObject {
    init(context: NSManagedObjectContext)
}

extension Author: Insertable {}

extension NSManagedObject {
    /// Creates an object of the class on which the method is called.
    static func create(in context: NSManagedObjectContext) -> Self { Self(context: context) }

    /// Creates an object by entity, as in libraries older than `init(context:)`.
    static func createByEntity(in context: NSManagedObjectContext) -> Self? {
        guard let entity = NSEntityDescription.entity(forEntityName: String(describing: Self.self), in: context) else {
            return nil
        }
        return self.init(entity: entity, insertInto: context)
    }
}

extension NSManagedObjectContext {
    /// Creates an object of the type that the caller expects.
    func insertNew<T: NSManagedObject>(_ type: T.Type = T.self, _ configure: (T) -> Void = { _ in }) -> T {
        let object = T(context: self)
        configure(object)
        return object
    }

    /// Finds or creates an object.
    func firstOrNew<T: NSManagedObject>(_ type: T.Type, matching predicate: NSPredicate) throws -> T {
        let request = NSFetchRequest<T>(entityName: String(describing: type))
        request.predicate = predicate
        request.fetchLimit = 1
        return try fetch(request).first ?? T(context: self)
    }
}

/// A repository of objects of one class.
struct Repository<Object: Insertable> {
    let context: NSManagedObjectContext

    func add() -> Object { Object(context: context) }
}
