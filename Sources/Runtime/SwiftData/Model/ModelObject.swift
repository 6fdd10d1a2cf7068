internal import CoreData

/// The object that holds the values of a model in a context.
final class ModelObject: NSManagedObject {
    /// The model, whose values retain this object. Other threads may release the last reference to it at any time.
    weak var model: AnyObject?

    /// The values of the model, if it is in memory.
    var core: _ModelCore? { (model as? any PersistentModel)?.core }
}
