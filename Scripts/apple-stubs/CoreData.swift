// A stand-in for the parts of Apple's Core Data that generated code names, to type-check it with Objective-C
// interoperability.

public import Foundation

open class NSEntityDescription: NSObject {}

open class NSManagedObjectModel: NSObject {
    @nonobjc public final func fetchRequestFromTemplate(
        withName name: String, substitutionVariables: [String: Any]
    ) -> NSFetchRequest<NSManagedObject>? { nil }
}

open class NSPersistentStoreCoordinator: NSObject {
    @nonobjc public final var managedObjectModel: NSManagedObjectModel { fatalError() }
}

@objc public protocol NSFetchRequestResult: AnyObject {}

open class NSManagedObjectID: NSObject, NSFetchRequestResult, @unchecked Sendable {
    @nonobjc public final var isTemporaryID: Bool { false }
}

open class NSFetchRequest<ResultType: NSFetchRequestResult>: NSObject {
    public init(entityName: String) { super.init() }
}

open class NSManagedObjectContext: NSObject {
    @nonobjc public final var persistentStoreCoordinator: NSPersistentStoreCoordinator? { nil }
    @nonobjc public final func delete(_ object: NSManagedObject) {}
    @nonobjc public final func existingObject(with id: NSManagedObjectID) throws -> NSManagedObject { fatalError() }
    @nonobjc public final func fetch<T>(_ request: NSFetchRequest<T>) throws -> [T] { [] }
}

@objc(NSManagedObject) open class NSManagedObject: NSObject, NSFetchRequestResult {
    public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) { super.init() }
    public convenience init(context: NSManagedObjectContext) { fatalError() }
    @nonobjc public final var objectID: NSManagedObjectID { fatalError() }
    @nonobjc public final var managedObjectContext: NSManagedObjectContext? { nil }
    @nonobjc public final func willAccessValue(forKey key: String?) {}
    @nonobjc public final func didAccessValue(forKey key: String?) {}
    @nonobjc public final func willChangeValue(forKey key: String) {}
    @nonobjc public final func didChangeValue(forKey key: String) {}
    @nonobjc public final func primitiveValue(forKey key: String) -> Any? { nil }
    @nonobjc public final func setPrimitiveValue(_ value: Any?, forKey key: String) {}
}
