internal import Foundation
internal import RuntimeSupport

/// A key path from an entity's objects, resolved against the model.
struct FetchKeyPath {
    /// The last property on the path, which only non-property keys may follow.
    enum End {
        /// The object itself: `self`, `objectID`, an empty path.
        case object
        /// An attribute. Keys after it apply to its value.
        case attribute(NSAttributeDescription)
        /// A to-one relationship.
        case toOne(NSRelationshipDescription)
        /// A to-many relationship, or an operator such as `@count` over one.
        case toMany(NSRelationshipDescription)
        /// A property that only objects in a context have: a fetched property, or a key such as `isInserted`.
        case code
    }

    let text: String
    /// The slots of the properties on the path. They are the same in subentities.
    private(set) var slots: [Int] = []
    private(set) var end = End.object
    /// The index of the first key that is a to-many relationship; `nil` if there is none.
    private(set) var firstToMany: Int?
    /// Whether the path contains a to-many relationship.
    var passesToMany: Bool { firstToMany != nil }
    /// Whether there are operators, or keys after an attribute.
    private(set) var hasMore = false
    /// Whether the value can be found from stored values alone.
    private(set) var isStored = true

    /// Resolves keys. Traps on an unknown one.
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
                firstToMany = firstToMany ?? index
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

    /// Keys that refer to the object itself.
    private static let keysOfObject: Set<String> = ["self", "SELF", "objectID"]
    /// Keys that are not properties of the model and need an object in a context.
    private static let keysInContext: Set<String> = [
        "managedObjectContext", "isInserted", "isUpdated", "isDeleted", "isFault", "hasChanges",
    ]

    /// Returns the value for an object. Only for paths without to-many relationships and for which `hasMore` is
    /// `false`.
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
