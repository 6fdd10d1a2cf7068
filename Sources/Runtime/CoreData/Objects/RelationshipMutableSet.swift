internal import Foundation
internal import RuntimeSupport

/// A mutable set that reads and changes a to-many relationship.
final class RelationshipMutableSet: NSMutableSet {
    private let owner: NSManagedObject
    private let index: Int

    init(_ owner: NSManagedObject, _ index: Int) {
        self.owner = owner
        self.index = index
        super.init(capacity: 0)
    }

    required init(capacity numItems: Int) {
        misuse("a set of a relationship is made by mutableSetValue(forKey:)")
    }

    required convenience init?(coder: NSCoder) { nil }

    private var storage: ToManyStorage { owner.toMany(at: index) }

    override var count: Int { storage.count }

    override func member(_ object: Any) -> Any? {
        guard let object = object as? NSManagedObject, storage.contains(object) else { return nil }
        return object
    }

    override func objectEnumerator() -> NSEnumerator { NSArray(array: storage.members).objectEnumerator() }

    override func add(_ object: Any) { owner.add(managed(object), at: index) }

    override func remove(_ object: Any) {
        guard let object = object as? NSManagedObject else { return }
        owner.remove(object, at: index)
    }

    override var allObjects: [Any] { storage.members }

    private func managed(_ object: Any) -> NSManagedObject {
        if let object = object as? NSManagedObject { return object }
        misuse(
            "NSInvalidArgumentException",
            "a \(type(of: object)) cannot be in the relationship “\(owner.layout.name).\(owner.layout.slots[index].name)”"
        )
    }
}
