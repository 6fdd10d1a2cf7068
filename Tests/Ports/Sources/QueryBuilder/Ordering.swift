import Foundation
import CoreData.NSFetchRequest

/// An order of the objects of one class.
public enum Ordering<Root: NSManagedObject> {
    case ascending(PartialKeyPath<Root>)
    case descending(PartialKeyPath<Root>)
    /// As the Finder sorts names.
    case finder(KeyPath<Root, String?>)

    var descriptor: NSSortDescriptor {
        switch self {
        case .ascending(let keyPath): return NSSortDescriptor(key: keyPath._kvcKeyPathString, ascending: true)
        case .descending(let keyPath): return NSSortDescriptor(key: keyPath._kvcKeyPathString, ascending: false)
        case .finder(let keyPath):
            return NSSortDescriptor(
                key: keyPath._kvcKeyPathString, ascending: true,
                selector: #selector(NSString.localizedStandardCompare(_:)))
        }
    }
}

extension NSManagedObjectContext {
    /// The objects that a query holds for.
    public func objects<Root: NSManagedObject>(where query: Query<Root>, by order: Ordering<Root>...) throws -> [Root] {
        let request = NSFetchRequest<Root>(entityName: Root.entity().name ?? "")
        request.predicate = query.predicate
        request.sortDescriptors = order.map(\.descriptor)
        return try fetch(request)
    }
}
