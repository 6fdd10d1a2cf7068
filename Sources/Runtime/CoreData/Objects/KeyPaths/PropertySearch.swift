internal import Foundation
internal import RuntimeSupport

/// Finds the property of a key path by trial: it creates objects without a context, sets all their properties to random
/// values, and selects the property whose value the key path returns every time. That distinguishes a property from a
/// value computed from it, no matter how the accessors are written.
///
/// A computed property that returns the unchanged value of another property counts as that property, unless it replaces
/// `nil`. Computed properties must work on objects without a context.
struct PropertySearch {
    /// The maximum length of key paths, because each level visits the destinations of all relationships.
    static let maximumDepth = 4

    /// Returns whether random values can be created for attributes of a type.
    static func canMakeValues(_ type: NSAttributeType) -> Bool { !SampleObject.value(type).isNull }

    /// The maximum number of rounds. Booleans have only two values, so several properties may match by chance.
    private static let maximumRounds = 64

    private let keyPath: AnyKeyPath
    private let objectClass: NSManagedObject.Type
    private let entity: NSEntityDescription
    private let depth: Int

    init(
        keyPath: AnyKeyPath, objectClass: NSManagedObject.Type, entity: NSEntityDescription, depth: Int
    ) {
        self.keyPath = keyPath
        self.objectClass = objectClass
        self.entity = entity
        self.depth = depth
    }

    func result() -> String? {
        guard let entity = Self.concrete(entity) else { return nil }
        var candidates: Set<String>?
        for round in 0..<Self.maximumRounds {
            let sample = SampleObject(objectClass, entity, depth: depth)
            let value = Unwrapping.value(sample.object[keyPath: keyPath])
            let matching = sample.paths(to: value, among: candidates)
            candidates = matching
            if matching.isEmpty { return nil }
            // At least two rounds, to detect a constant that happens to be equal; more rounds for Booleans, which have
            // only two values.
            if matching.count == 1, round >= (value is Bool ? 23 : 1) { break }
        }
        guard let path = candidates?.first, candidates?.count == 1, givesNil(entity) else { return nil }
        return path
    }

    /// Returns whether an unset property reads as `nil`. Returns `true` for key paths whose value cannot be `nil`.
    private func givesNil(_ entity: NSEntityDescription) -> Bool {
        guard type(of: keyPath).valueType is any OptionalValue.Type, !String(reflecting: keyPath).contains(">!.") else {
            return true
        }
        let object = Self.emptyObject(objectClass, entity)
        guard let value = Unwrapping.value(object[keyPath: keyPath]) else { return true }
        // An unset to-many relationship reads as an empty collection.
        return SampleObject.collection(value)?.isEmpty == true
    }

    /// Returns the entity, or a subentity that is not abstract.
    static func concrete(_ entity: NSEntityDescription) -> NSEntityDescription? {
        guard entity.isAbstract else { return entity }
        return entity.subentities.lazy.compactMap(concrete).first
    }

    /// Returns an object without a context, none of whose properties has a value.
    static func emptyObject(_ objectClass: NSManagedObject.Type, _ entity: NSEntityDescription) -> NSManagedObject {
        let object = objectClass.init(entity: entity, insertInto: nil)
        object.flags.insert(.sample)
        object.fillWithNil()
        return object
    }
}

/// An object without a context that has random values.
private final class SampleObject {
    let object: NSManagedObject
    /// The destinations of to-one relationships, by name.
    private var others: [String: SampleObject] = [:]
    /// The single members of to-many relationships, by name.
    private var members: [String: NSManagedObject] = [:]

    init(_ objectClass: NSManagedObject.Type, _ entity: NSEntityDescription, depth: Int) {
        object = PropertySearch.emptyObject(objectClass, entity)
        let slots = object.writableSlots()
        for (index, slot) in object.layout.slots.enumerated() {
            switch slot.kind {
            case .attribute(let type): slots[index] = Self.value(type)
            case .toOne:
                guard let other = Self.other(slot, depth: depth - 1) else { continue }
                others[slot.name] = other
                slots[index] = .managed(other.object)
            case .toMany(let isOrdered):
                guard let member = Self.other(slot, depth: 0)?.object else { continue }
                members[slot.name] = member
                slots[index] = .many(ToManyStorage(isOrdered: isOrdered, [member]))
            case .fetched: break
            }
        }
    }

    /// Returns a destination object of a relationship. Objects at the maximum depth are compared by identity and need
    /// no values.
    private static func other(_ slot: EntityLayout.Slot, depth: Int) -> SampleObject? {
        guard let destination = (slot.property as? NSRelationshipDescription)?.destinationEntity else { return nil }
        var entity = destination
        while entity.isAbstract, let below = entity.subentities.first { entity = below }
        guard !entity.isAbstract else { return nil }
        let objectClass = ManagedObjectClasses.objectClass(of: entity.objectLayout())
        return depth > 0 ? SampleObject(objectClass, entity, depth: depth) : SampleObject(objectClass, entity)
    }

    private init(_ objectClass: NSManagedObject.Type, _ entity: NSEntityDescription) {
        object = PropertySearch.emptyObject(objectClass, entity)
    }

    static func value(_ type: NSAttributeType) -> SlotValue {
        switch type {
        case .integer16AttributeType: .integer(Int64(Int16.random(in: 2 ... .max)))
        case .integer32AttributeType: .integer(Int64(Int32.random(in: 2 ... .max)))
        case .integer64AttributeType: .integer(.random(in: 2 ... .max))
        case .doubleAttributeType: .double(.random(in: 2..<1e6))
        case .floatAttributeType: .float(.random(in: 2..<1e6))
        case .booleanAttributeType: .boolean(.random())
        case .stringAttributeType: .string(UUID().uuidString)
        case .dateAttributeType: .date(Date(timeIntervalSinceReferenceDate: .random(in: 2..<1e9)))
        case .binaryDataAttributeType: .data(Data(UUID().uuidString.utf8))
        case .UUIDAttributeType: .uuid(UUID())
        case .URIAttributeType: URL(string: "x:\(UUID().uuidString)").map { .boxed(ValueBox($0)) } ?? .null
        case .decimalAttributeType: .object(NSDecimalNumber(value: Int64.random(in: 2...1_000_000_000_000)))
        // A custom class that cannot be instantiated here.
        default: .null
        }
    }

    /// Returns the key paths of the properties that have a value.
    func paths(to value: Any?, among candidates: Set<String>?) -> Set<String> {
        guard let value else { return [] }
        var result: Set<String> = []
        collect(value, prefix: "", result: &result)
        return candidates.map(result.intersection) ?? result
    }

    private func collect(_ value: Any, prefix: String, result: inout Set<String>) {
        if let id = value as? NSManagedObjectID, id === object.objectID { result.insert(prefix + "objectID") }
        for index in object.layout.attributeSlots {
            guard let own = object.realizedSlots()[index].anyValue, Self.areEqual(own, value) else { continue }
            result.insert(prefix + object.layout.slots[index].name)
        }
        for (name, member) in members where Self.collection(value)?.contains(where: { $0 === member }) == true {
            result.insert(prefix + name)
        }
        for (name, other) in others {
            if value as AnyObject === other.object { result.insert(prefix + name) }
            other.collect(value, prefix: prefix + name + ".", result: &result)
        }
    }

    private static func areEqual(_ own: Any, _ value: Any) -> Bool {
        // A date may be read as a number of seconds.
        if let date = own as? Date, let seconds = value as? Double {
            return date.timeIntervalSinceReferenceDate == seconds
        }
        if let number = own as? NSNumber, let other = rawValue(of: value) as? NSNumber { return number == other }
        return SlotValue.areEqual(own, value)
    }

    /// Returns the raw value of an enumeration, or any other value unchanged.
    private static func rawValue(of value: Any) -> Any {
        guard let enumeration = value as? any RawRepresentable else { return value }
        return enumeration.rawValue
    }

    /// Returns the elements of a collection, or `nil` for any other value.
    static func collection(_ value: Any) -> [AnyObject]? {
        switch value {
        case let set as NSSet: set.allObjects.map { $0 as AnyObject }
        case let set as NSOrderedSet: set.array.map { $0 as AnyObject }
        case let set as Set<AnyHashable>: set.map { $0.base as AnyObject }
        case let list as [Any]: list.map { $0 as AnyObject }
        default: nil
        }
    }
}

extension NSManagedObject {
    /// Clears all properties of an object without a context.
    fileprivate final func fillWithNil() {
        fill(with: Row.blank(layout, version: 0))
        for index in layout.toManySlots {
            writableSlots()[index] = .many(
                ToManyStorage(isOrdered: layout.slots[index].kind == .toMany(isOrdered: true), []))
        }
    }
}
