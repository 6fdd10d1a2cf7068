internal import Diagnostics
internal import ModelSchema
internal import SwiftSources

/// The bodies of the accessors of `@NSManaged` declarations: calls of the runtime, with the slots of the model if
/// known.
struct AccessorBodies {
    /// The statements of a property's accessors. The new value is called `newValue`.
    struct Property {
        var get: String
        var set: String
        /// Whether neither the property nor its primitive form is in the model.
        var isUnknown = false
    }

    private struct Owner {
        var entity: Entity
        var slots: SlotLayout
        var attributes: [String: Attribute] = [:]
        var relationships: [String: Relationship] = [:]
        var others: Set<String> = []
    }

    /// The entities by class; `nil` for a class that several entities share.
    private var owners: [String: Owner?] = [:]
    /// The names of all relationships, for classes without an entity.
    private var relationshipNames: Set<String> = []

    init(models: [Model]) {
        for model in models {
            let byName = Dictionary(model.entities.map { ($0.name, $0) }) { first, _ in first }
            for entity in model.entities {
                relationshipNames.formUnion(entity.relationships.map(\.name))
                guard entity.className.isCustom else { continue }
                let name = entity.className.name
                if owners[name] != nil {
                    owners[name] = .some(nil)
                } else {
                    owners[name] = Self.owner(entity, byName)
                }
            }
        }
    }

    private static func owner(_ entity: Entity, _ byName: [String: Entity]) -> Owner {
        var owner = Owner(entity: entity, slots: SlotLayout(of: entity, parents: byName))
        var next: Entity? = entity
        var seen: Set<String> = []
        while let current = next, seen.insert(current.name).inserted {
            for attribute in current.attributes { owner.attributes[attribute.name] = attribute }
            for relationship in current.relationships { owner.relationships[relationship.name] = relationship }
            owner.others.formUnion(current.fetchedProperties.map(\.name))
            next = current.parentName.flatMap { byName[$0] }
        }
        return owner
    }

    /// Returns the name of the entity that a class belongs to, if it belongs to only one.
    func entityName(ofClass name: String) -> String? { (owners[name] ?? nil)?.entity.name }

    // MARK: Properties

    /// Returns the accessors of a property.
    func property(_ property: SwiftFile.ManagedProperty) -> Property {
        let key = SwiftIdentifier.stringLiteral(property.name)
        let owner = property.context.path.last.flatMap { owners[$0] ?? nil }
        if let name = primitiveName(property.name, owner) {
            let key = SwiftIdentifier.stringLiteral(name)
            // Only at run time is it known whether the model has a property of this name.
            guard owner != nil else {
                let own = SwiftIdentifier.stringLiteral(property.name)
                return Property(
                    get: "readPrimitive(\(key), unlessDeclared: \(own))",
                    set: "writePrimitive(newValue, \(key), unlessDeclared: \(own))")
            }
            return Property(get: "readPrimitive(\(key))", set: "writePrimitive(newValue, \(key))")
        }
        var plain = Property(get: "readManaged(\(key))", set: "writeManaged(newValue, \(key))")
        guard let owner, let type = property.type else { return plain }
        let location = self.location(of: property.name, owner)
        if owner.attributes[property.name] != nil {
            guard let get = attributeGetter(type, location) else { return plain }
            return Property(
                get: get, set: "writeSlot(\(type == Self.int ? "Int64(newValue)" : "newValue"), \(location))")
        }
        if let relationship = owner.relationships[property.name] {
            let isCollection = type.isOptional && ["NSSet", "NSOrderedSet"].contains(type.unwrapped.lastName)
            if relationship.isToMany {
                guard isCollection else { return plain }
                return Property(get: "readCollection(\(location))", set: "writeCollection(newValue, \(location))")
            }
            guard type.isOptional, !isCollection, case .named(let names) = type.unwrapped,
                !["Any", "AnyObject", "NSObject"].contains(names.last?.name)
            else { return plain }
            return Property(get: "readObject(\(location))", set: "writeObject(newValue, \(location))")
        }
        plain.isUnknown = !owner.others.contains(property.name)
        return plain
    }

    private static let int = SwiftTypeText.named([SwiftTypeText.Component(name: "Int")])
    private static let scalars: Set<String> = ["Bool", "Double", "Float", "Int16", "Int32", "Int64", "TimeInterval"]
    private static let values: Set<String> = ["Data", "Date", "String", "UUID"]

    /// Returns the expression that reads an attribute by its slot; `nil` for types that are read by the property's
    /// name.
    private func attributeGetter(_ type: SwiftTypeText, _ location: String) -> String? {
        switch type {
        case .optional(.named(let names)) where names.count == 1 && Self.values.contains(names[0].name):
            return "readSlot(\(location))"
        case .named(let names) where names.count == 1:
            switch names[0].name {
            case "Int": return "Int(readSlot(\(location)) as Int64)"
            // Apple's runtime returns an empty value of these types for nil if the property is not optional.
            case "String": return "(readSlot(\(location)) as String?) ?? \"\""
            case "Data": return "(readSlot(\(location)) as Data?) ?? Data()"
            case let name where Self.scalars.contains(name): return "readSlot(\(location))"
            default: return nil
            }
        default: return nil
        }
    }

    /// Returns the slot, the layout and the key of a property as arguments.
    private func location(of name: String, _ owner: Owner?) -> String {
        let key = SwiftIdentifier.stringLiteral(name)
        guard let owner, let slot = owner.slots.number(of: name) else { return "0, 0, \(key)" }
        return "\(slot), 0x\(String(owner.slots.fingerprint, radix: 16, uppercase: true)), \(key)"
    }

    /// Returns the property whose primitive value another property accesses: `name` for `primitiveName`.
    private func primitiveName(_ name: String, _ owner: Owner?) -> String? {
        guard name.hasPrefix("primitive"), name.count > 9 else { return nil }
        if let owner, owner.slots.number(of: name) != nil { return nil }
        let rest = String(name.dropFirst(9))
        guard rest.first?.isLowercase == false else { return nil }
        let candidates = [Self.decapitalized(rest), rest]
        guard let owner else { return candidates[0] }
        return candidates.first { owner.slots.number(of: $0) != nil }
    }

    private static func decapitalized(_ name: String) -> String { name.prefix(1).lowercased() + name.dropFirst() }

    // MARK: Functions

    /// Returns the statement of a function; `nil` if it is not a relationship accessor of Core Data.
    func function(_ function: SwiftFile.ManagedFunction) -> String? {
        let owner = function.context.path.last.flatMap { owners[$0] ?? nil }
        guard !function.isUnusual, !function.isStatic, let (verb, relationship) = verb(function, owner) else {
            return nil
        }
        let location = self.location(of: relationship, owner)
        let parameters = function.parameters
        func name(_ number: Int) -> String { SwiftIdentifier.declared(parameters[number].name) }
        switch (verb, parameters.count) {
        case (.add, 1), (.remove, 1):
            if parameters[0].label == "at" {
                guard verb == .remove else { return nil }
                let isIndex = parameters[0].type == Self.int
                return change(
                    location, isIndex ? "removeObject(at: \(name(0)))" : "removeObjects(at: \(name(0)) as IndexSet)")
            }
            let word = verb == .add ? "add" : "remove"
            guard let type = parameters[0].type, parameters[0].label == nil else { return nil }
            if case .named(let names) = type, names.last?.name != "Set" {
                let isCollection = ["NSSet", "NSOrderedSet", "NSMutableSet"].contains(names.last?.name)
                return "\(word)Object\(isCollection ? "s" : "")(\(name(0)), \(location))"
            }
            if case .array = type { return "\(word)Objects(NSOrderedSet(array: \(name(0))), \(location))" }
            return "\(word)Objects(NSSet(set: \(name(0))), \(location))"
        case (.insert, 2) where parameters[1].label == "at":
            if case .array? = parameters[0].type {
                return change(location, "insert(\(name(0)), at: \(name(1)) as IndexSet)")
            }
            return change(location, "insert(\(name(0)), at: \(name(1)))")
        case (.replace, 2) where parameters[0].label == "at" && parameters[1].label == "with":
            if case .array? = parameters[1].type {
                return change(location, "replaceObjects(at: \(name(0)) as IndexSet, with: \(name(1)))")
            }
            return change(location, "replaceObject(at: \(name(0)), with: \(name(1)))")
        default: return nil
        }
    }

    private func change(_ location: String, _ call: String) -> String { "changeOrder(\(location)) { $0.\(call) }" }

    private enum Verb { case add, remove, insert, replace }

    /// Returns the operation and the relationship that a function's name stands for: `addToBooks`, or `addBooksObject`
    /// of Xcode 6 and 7.
    private func verb(_ function: SwiftFile.ManagedFunction, _ owner: Owner?) -> (Verb, String)? {
        let patterns: [(start: String, end: String, verb: Verb)] = [
            ("addTo", "", .add), ("removeFrom", "", .remove), ("insertInto", "", .insert), ("replace", "", .replace),
            ("add", "Object", .add), ("remove", "Object", .remove), ("add", "", .add), ("remove", "", .remove),
        ]
        let name = function.name
        let names = owner.map { Set($0.relationships.keys) } ?? relationshipNames
        var guess: (Verb, String)?
        for pattern in patterns where name.hasPrefix(pattern.start) && name.hasSuffix(pattern.end) {
            let middle = String(name.dropFirst(pattern.start.count).dropLast(pattern.end.count))
            guard !middle.isEmpty else { continue }
            for candidate in [Self.decapitalized(middle), middle] where names.contains(candidate) {
                return (pattern.verb, candidate)
            }
            if guess == nil { guess = (pattern.verb, Self.decapitalized(middle)) }
        }
        // The relationships of a class without an entity are known only at run time.
        return owner == nil ? guess : nil
    }
}
