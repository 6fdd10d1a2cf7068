import CoreData

@objc(Store)
public class Store: NSManagedObject {
    @NSManaged public var name: String?
    var key: String { #keyPath(Store.name) }
}
