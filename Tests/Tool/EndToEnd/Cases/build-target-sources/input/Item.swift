import CoreData

@objc(Item)
public class Item: NSManagedObject {
    @NSManaged public var nmae: String
    @NSManaged var price: Money
    @NSManaged var pair: (Int, Int)
    @NSManaged static var shared: String?
    @NSManaged func frobnicate(_ value: Order)
    @NSManaged func addToOrders(_ value: Discount)
}

class Order: NSManagedObject {}

private class Hidden: NSManagedObject {
    @NSManaged var name: String
}

class Generic<T>: NSManagedObject {
    @NSManaged var name: String
}

extension Elsewhere {
    @NSManaged var name: String
}
