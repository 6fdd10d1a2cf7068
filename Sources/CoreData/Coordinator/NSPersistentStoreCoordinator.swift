public import Foundation

/// Stands between contexts and stores. So far it only holds its model: stores come with the object graph.
///
/// Thread-safe.
open class NSPersistentStoreCoordinator: NSObject {
    /// The model. It cannot be changed any more.
    public let managedObjectModel: NSManagedObjectModel

    /// Makes a coordinator, which puts the model to use: a later change of the model stops the program.
    public init(managedObjectModel model: NSManagedObjectModel) {
        managedObjectModel = model
        super.init()
        model.putToUse()
    }
}
