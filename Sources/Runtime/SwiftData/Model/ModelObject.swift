internal import CoreData

/// The object that holds the values of a model in a context.
final class ModelObject: NSManagedObject {
    /// The model's values, which clear the reference when they are destroyed; nil if the model is not in memory.
    private(set) unowned(unsafe) var core: _ModelCore?
    /// The model, which is in memory as long as its values are.
    private unowned(unsafe) var owner: AnyObject?
    /// A model whose values may outlive it. A weak reference slows down all uses of the model.
    private weak var weakOwner: AnyObject?

    /// The model, whose values retain this object.
    var model: AnyObject? { owner ?? weakOwner }

    func setModel(_ model: some PersistentModel, _ core: _ModelCore) {
        self.core = core
        if core.mayOutliveModel { weakOwner = model } else { owner = model }
    }

    /// Called before the model's values are given to code that may keep them.
    func weakenReference() {
        guard let model = owner else { return }
        owner = nil
        weakOwner = model
    }

    /// Called when a model's values are destroyed.
    func forget(_ core: _ModelCore) {
        guard self.core === core else { return }
        self.core = nil
        owner = nil
    }
}
