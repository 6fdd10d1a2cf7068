import CoreData
import Foundation

/// All that the app asks its store for.
public final class CustomerStore {
    public let context: NSManagedObjectContext

    public init(context: NSManagedObjectContext) {
        self.context = context
    }

    public func customers(named name: String) throws -> [Customer] {
        let request: NSFetchRequest<Customer> = Customer.fetchRequest()
        request.predicate = NSPredicate(format: "%K CONTAINS[cd] %@", #keyPath(Customer.name), name)
        request.sortDescriptors = [
            NSSortDescriptor(
                key: #keyPath(Customer.name), ascending: true,
                selector: #selector(NSString.caseInsensitiveCompare(_:))),
            NSSortDescriptor(key: #keyPath(Customer.age), ascending: false, selector: #selector(NSNumber.compare(_:))),
        ]
        return try context.fetch(request)
    }

    public func orders(above total: Double, of customer: Customer) throws -> [Order] {
        let request: NSFetchRequest<Order> = Order.fetchRequest()
        request.predicate = NSPredicate(
            format: "\(#keyPath(Order.total)) > %lf AND \(#keyPath(Order.customer)) == %@", total, customer)
        request.relationshipKeyPathsForPrefetching = [#keyPath(Order.customer), #keyPath(Order.customer.orders)]
        request.sortDescriptors = [NSSortDescriptor(key: #keyPath(Order.number), ascending: true)]
        return try context.fetch(request)
    }

    public func customers(withOrderAbove total: Double) throws -> [Customer] {
        let request: NSFetchRequest<Customer> = Customer.fetchRequest()
        // Not a key path: "#keyPath(Customer.orders)"
        request.predicate = NSPredicate(format: """
            ANY \(#keyPath(Customer.orders.total)) > %lf
            """, total)
        return try context.fetch(request)
    }

    @objc public func deleteAll() throws {
        for customer in try context.fetch(Customer.fetchRequest() as NSFetchRequest<Customer>) { context.delete(customer) }
        try context.save()
    }
}
