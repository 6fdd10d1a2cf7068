internal import Foundation
internal import RuntimeSupport

/// The reference objects from which custom stores create object IDs.
extension NSManagedObjectID.Reference {
    /// Creates the reference for a value, or returns `nil` if the value cannot be a reference.
    init?(referenceObject value: Any) {
        switch value {
        case let text as String: self = .text(text)
        case let number as any BinaryInteger where Int64(exactly: number) != nil:
            self = .number(Int64(truncatingIfNeeded: number))
        case let number as NSNumber where NSNumber(value: number.int64Value) == number:
            self = .number(number.int64Value)
        default:
            guard let value = HashableDecimal.replacing(value) as? AnyHashable else { return nil }
            self = .other(value)
        }
    }

    /// The value; `nil` for a temporary ID.
    var referenceObject: Any? {
        switch self {
        case .temporary: nil
        case .number(let number): NSNumber(value: number)
        case .text(let text): text
        case .other(let value): value.base
        }
    }
}

extension NSPersistentStore {
    /// Returns the ID for a reference value. Traps if it is neither a string nor a number nor hashable.
    final func makeID(_ value: Any, _ entity: NSEntityDescription) -> NSManagedObjectID {
        guard let reference = NSManagedObjectID.Reference(referenceObject: value) else {
            misuse(
                "NSInvalidArgumentException",
                "a value of the type \(Swift.type(of: value)) cannot be the reference object of an ID: use a text or a number"
            )
        }
        return NSManagedObjectID(reference, entity.objectLayout(), store: self)
    }

    /// Returns the reference value of an ID. Traps on an ID of another store.
    final func referenceValue(of id: NSManagedObjectID) -> Any {
        guard id.persistentStore === self, let value = id.reference.referenceObject else {
            misuse(
                "NSInvalidArgumentException",
                "the ID \(id.uriRepresentation()) was not made by the store at \(url?.absoluteString ?? "no URL")")
        }
        return value
    }

    /// Returns the IDs of new objects. Traps unless there is one of this store for each object.
    final func checked(_ ids: [NSManagedObjectID], for objects: [NSManagedObject]) -> [NSManagedObjectID] {
        guard ids.count == objects.count, ids.allSatisfy({ $0.persistentStore === self }) else {
            misuse(
                "\(Swift.type(of: self)) gives \(ids.count) IDs, or IDs of another store, for \(objects.count) new objects"
            )
        }
        return ids
    }
}

extension EntityLayout {
    /// Converts a value that a store returned for an attribute. Throws an error if its class is wrong.
    func stored(_ value: Any?, at index: Int, type: NSAttributeType, id: NSManagedObjectID) throws -> SlotValue {
        guard let value = Unwrapping.value(value) else { return .null }
        if let converted = ValueConversion.slotValue(value, type) { return converted }
        throw wrong(value, at: index, id)
    }

    /// Returns the error for a value that a store returned but the property cannot have.
    func wrong(_ value: Any, at index: Int, _ id: NSManagedObjectID) -> NSError {
        CoreDataError.error(
            .coreData,
            text: "the store gives a value of the type \(Swift.type(of: value)) for “\(name).\(slots[index].name)” of "
                + "\(id.uriRepresentation())",
            userInfo: ["objectID": id, NSValidationKeyErrorKey: slots[index].name, NSValidationValueErrorKey: value])
    }
}

/// Reads the collections that stores return for to-many relationships.
enum StoredCollection {
    /// Returns the elements of a set, an ordered set or an array, of Swift or Foundation; `nil` for anything else.
    static func elements(_ value: Any) -> [Any]? {
        switch value {
        case let set as NSOrderedSet: set.array
        case let set as NSSet: set.allObjects
        case let array as NSArray: array.map { $0 }
        case let array as [Any]: array
        case let set as Set<AnyHashable>: set.map(\.base)
        default: nil
        }
    }
}
