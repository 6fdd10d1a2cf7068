import CoreData

// Objects made of metatypes, and sets written as literals.
extension NSManagedObject {
    static func make(in context: NSManagedObjectContext) -> Self { self.init(context: context) }

    static func made(of entity: NSEntityDescription) -> Self { Self.init(entity: entity, insertInto: nil) }
}

enum Labels {
    static let important: NSSet = ["work", "family"]
    static var hidden: NSMutableSet? = []

    static func counted() -> NSCountedSet {
        let labels: NSCountedSet = [
            "work",
            "work", "family",
        ]
        return labels
    }

    static func isImportant(_ labels: [String]) -> Bool {
        ([labels[0], "work"] as NSSet).isSubset(of: important as? Set<AnyHashable> ?? [])
    }

    static func insert<T: NSManagedObject>(_ type: T.Type, _ context: NSManagedObjectContext) -> T {
        type.init(context: context)
    }

    static func insert(_ types: [NSManagedObject.Type], _ context: NSManagedObjectContext) -> [NSManagedObject] {
        types.map { $0.init(context: context) }
    }
}
