internal import Foundation

/// Tries a key path out: objects are made in no context, all of their properties get values at random, and the property whose
/// value comes out every time is the one. That tells a property from what is computed of it, whatever wrote the accessors.
///
/// A computed property that gives the very value of another is taken for that one, unless it turns nil into something else. What is
/// computed must expect objects that are in no context.
struct PropertySearch {
    /// Every level asks all objects at the ends of all relationships.
    static let maximumDepth = 4

    /// Returns whether there are values at random for attributes of a type.
    static func canMakeValues(_ type: NSAttributeType) -> Bool { !SampleObject.value(type).isNull }

    /// How often, at most. Truth values have but two values, so that several may agree by chance.
    private static let maximumRounds = 64

    private let keyPath: AnyKeyPath
    private let objectClass: NSManagedObject.Type
    private let entity: NSEntityDescription
    private let depth: Int

    init(
        _ keyPath: AnyKeyPath, _ objectClass: NSManagedObject.Type, _ entity: NSEntityDescription, _ depth: Int
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
            let value = ValueConversion.unwrapped(sample.object[keyPath: keyPath])
            let matching = sample.paths(to: value, among: candidates)
            candidates = matching
            if matching.isEmpty { return nil }
            // Twice, so that a constant that happens to be equal is found out; more often for what has but two values.
            if matching.count == 1, round >= (value is Bool ? 23 : 1) { break }
        }
        guard let path = candidates?.first, candidates?.count == 1, givesNil(entity) else { return nil }
        return path
    }

    /// Returns whether an unset property reads as nil. Key paths whose value cannot be nil are not tried.
    private func givesNil(_ entity: NSEntityDescription) -> Bool {
        guard type(of: keyPath).valueType is any OptionalValue.Type, !String(reflecting: keyPath).contains(">!.") else {
            return true
        }
        let object = Self.emptyObject(objectClass, entity)
        guard let value = ValueConversion.unwrapped(object[keyPath: keyPath]) else { return true }
        // A to-many relationship has no objects then.
        return SampleObject.collection(value)?.isEmpty == true
    }

    /// Returns the entity, or one below it that can have objects.
    static func concrete(_ entity: NSEntityDescription) -> NSEntityDescription? {
        guard entity.isAbstract else { return entity }
        return entity.subentities.lazy.compactMap(concrete).first
    }

    /// Returns an object in no context all of whose properties are without values.
    static func emptyObject(_ objectClass: NSManagedObject.Type, _ entity: NSEntityDescription) -> NSManagedObject {
        let object = objectClass.init(entity: entity, insertInto: nil)
        object.flags.insert(.sample)
        object.fillWithNothing()
        return object
    }
}

/// An object in no context with values at random.
private final class SampleObject {
    let object: NSManagedObject
    /// The objects at the other ends of to-one relationships, by name.
    private var others: [String: SampleObject] = [:]
    /// The single members of to-many relationships, by name.
    private var members: [String: NSManagedObject] = [:]

    init(_ objectClass: NSManagedObject.Type, _ entity: NSEntityDescription, depth: Int) {
        object = PropertySearch.emptyObject(objectClass, entity)
        let slots = object.ownSlots()
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

    /// Returns the other end of a relationship. The last ones on the way are told apart by what they are, and need no
    /// values.
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
        // A custom class, which cannot be instantiated here.
        default: .null
        }
    }

    /// Returns the paths of the properties that have the resulting value.
    func paths(to value: Any?, among candidates: Set<String>?) -> Set<String> {
        guard let value else { return [] }
        var result: Set<String> = []
        collect(value, "", &result)
        return candidates.map(result.intersection) ?? result
    }

    private func collect(_ value: Any, _ prefix: String, _ result: inout Set<String>) {
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
            other.collect(value, prefix + name + ".", &result)
        }
    }

    private static func areEqual(_ own: Any, _ value: Any) -> Bool {
        // A date may be read as its seconds.
        if let date = own as? Date, let seconds = value as? Double {
            return date.timeIntervalSinceReferenceDate == seconds
        }
        if let number = own as? NSNumber, let other = rawValue(of: value) as? NSNumber { return number == other }
        return same(own, value)
    }

    /// Returns the raw value of an enumeration; any other value as it is.
    private static func rawValue(of value: Any) -> Any {
        guard let enumeration = value as? any RawRepresentable else { return value }
        return enumeration.rawValue
    }

    private static func same(_ one: Any, _ other: Any) -> Bool {
        guard let one = one as? AnyHashable, let other = other as? AnyHashable else { return false }
        return one == other
    }

    /// Returns the elements of a collection; nil for anything else.
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
    /// Empties all properties of an object that is in no context.
    fileprivate final func fillWithNothing() {
        fill(with: Row.blank(layout, version: 0))
        for index in layout.toManySlots {
            ownSlots()[index] = .many(
                ToManyStorage(isOrdered: layout.slots[index].kind == .toMany(isOrdered: true), []))
        }
    }
}
