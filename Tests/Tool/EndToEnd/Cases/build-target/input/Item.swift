import CoreData

public class Item: NSManagedObject {
    @NSManaged public var name: String
    @NSManaged var count: Int32
    @NSManaged var orders: Set<Order>
    @NSManaged private var primitiveName: String?
    @NSManaged func addToOrders(_ value: Order)
}
