internal import Foundation

/// A key path from the objects of an entity, followed through the model.
struct FetchKeyPath {
    /// The property that the path ends at, or passes last before keys that are not properties.
    enum End {
        /// The object itself: `self`, `objectID`, an empty path.
        case object
        /// An attribute. Keys after it apply to its value.
        case attribute(NSAttributeDescription)
        /// A to-one relationship.
        case toOne(NSRelationshipDescription)
        /// A to-many relationship, or an operator such as `@count` over one.
        case toMany(NSRelationshipDescription)
        /// A property that only objects in a context have: a fetched property, or something like `isInserted`.
        case code
    }

    let text: String
    /// The slots of the properties on the way. Those of an entity are those of its subentities too.
    private(set) var slots: [Int] = []
    private(set) var end = End.object
    /// Whether a to-many relationship is on the way, or at the end.
    private(set) var passesToMany = false
    /// The place of the last key that is a to-many relationship; nil for none.
    private(set) var lastToMany: Int?
    /// Whether there are keys behind an attribute, or operators.
    private(set) var hasMore = false
    /// Whether what a store keeps is enough to find the value.
    private(set) var isStored = true

    /// Follows keys. An unknown one traps.
    init(_ keys: [String], _ layout: EntityLayout) {
        text = keys.joined(separator: ".")
        var current = layout
        for (index, key) in keys.enumerated() {
            if key.utf8.first == UInt8(ascii: "@") {
                hasMore = true
                // Most operators are followed by a path from the members.
                continue
            }
            guard let slot = current.index(of: key) else {
                if Self.keysOfObject.contains(key) { continue }
                if key == "entity" || Self.keysInContext.contains(key) {
                    hasMore = true
                    end = .code
                    isStored = isStored && key == "entity"
                    return
                }
                misuse("NSInvalidArgumentException", "keypath \(text) not found in entity \(layout.name)")
            }
            if !hasMore { slots.append(slot) }
            isStored = isStored && !current.slots[slot].isTransient
            switch (current.slots[slot].kind, current.slots[slot].property) {
            case (.attribute, let attribute as NSAttributeDescription):
                end = .attribute(attribute)
                hasMore = hasMore || index < keys.count - 1
                return
            case (.toOne, let relationship as NSRelationshipDescription):
                end = .toOne(relationship)
                guard let next = relationship.destinationEntity?.objectLayout() else { return }
                current = next
            case (.toMany, let relationship as NSRelationshipDescription):
                end = .toMany(relationship)
                passesToMany = true
                lastToMany = index
                guard let next = relationship.destinationEntity?.objectLayout() else { return }
                current = next
            default:
                end = .code
                isStored = false
                return
            }
        }
    }

    init(_ text: String, _ layout: EntityLayout) {
        self.init(text.split(separator: ".").map(String.init), layout)
    }

    /// Keys that stand for the object.
    private static let keysOfObject: Set<String> = ["self", "SELF", "objectID"]
    /// Keys that are not properties of the model, and that only an object in a context can answer.
    private static let keysInContext: Set<String> = [
        "managedObjectContext", "isInserted", "isUpdated", "isDeleted", "isFault", "hasChanges",
    ]

    /// Returns the value for an object. Only for paths without to-many relationships and without more.
    func value<Object: SlotBacked>(of object: Object) -> PredicateValue {
        guard let first = slots.first else { return .slotted(object) }
        if slots.count == 1 { return object.slotValue(first) }
        var value = object.slotValue(first)
        for slot in slots.dropFirst() {
            guard case .slotted(let next) = value else { return .null }
            value = next.slotValue(slot)
        }
        return value
    }
}
