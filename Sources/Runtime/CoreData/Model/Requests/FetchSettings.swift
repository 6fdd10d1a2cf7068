package import Foundation
internal import RuntimeSupport

/// The settings of a fetch request, independent of the type of its results. The defaults equal Apple's.
package struct FetchSettings {
    private var heldEntity: NSEntityDescription?
    @WeakLink private var entityOfModel: NSEntityDescription?

    /// The entity, kept alive by the request.
    var entity: NSEntityDescription? {
        get { heldEntity ?? entityOfModel }
        set {
            heldEntity = newValue
            entityOfModel = nil
        }
    }

    /// The entity of a request that is part of a model. Held weakly: the model retains both, and a retain cycle would
    /// leak it.
    var modelEntity: NSEntityDescription? {
        get { heldEntity ?? entityOfModel }
        set {
            heldEntity = nil
            entityOfModel = newValue
        }
    }

    var entityName: String?
    package var predicate: NSPredicate?
    package var sortDescriptors: [NSSortDescriptor]?
    package var fetchLimit = 0
    package var fetchOffset = 0
    package var fetchBatchSize = 0
    package var resultType: NSFetchRequestResultType = .managedObjectResultType
    var includesSubentities = true
    package var includesPropertyValues = true
    var returnsObjectsAsFaults = true
    var includesPendingChanges = true
    var returnsDistinctResults = false
    var shouldRefreshRefetchedObjects = false
    var prefetchedKeyPaths: [String]?
    var propertiesToFetch: [Any]?
    var propertiesToGroupBy: [Any]?
    var havingPredicate: NSPredicate?
    /// The stores to search; `nil` for all.
    var affectedStores: [AnyObject]?
    /// The IDs of `excluded`.
    var excludedResults: [AnyObject] = []
}
