internal import CoreData
internal import Foundation

/// Inserts the objects of an export into a store.
final class ImportedRows {
    /// An error in an object.
    struct Failure: Error {
        var message: String
        var help = "Correct the line."
    }

    /// The way in which a member of an object is read.
    private enum Reader {
        case skip
        case attribute(cell: Int, ValueReader)
        case composite(Composite)
        case toOne(cell: Int, name: String)
        case toMany(name: String)
    }

    /// The elements of a composite attribute by their names.
    private indirect enum Composite {
        case group(name: String, [String: Composite])
        case element(cell: Int, ValueReader)

        /// The cells of all elements.
        var cells: [Int] {
            switch self {
            case .group(_, let elements): elements.values.flatMap(\.cells)
            case .element(let cell, _): [cell]
            }
        }
    }

    /// How objects of an entity with certain members are read.
    private final class Plan {
        let entity: NSEntityDescription
        let keys: [String]
        let readers: [Reader]
        let table: RestoredTable
        let cellCount: Int
        let hasMembers: Bool

        init(_ entity: NSEntityDescription, _ keys: [String], _ readers: [Reader], _ table: RestoredTable, _ count: Int)
        {
            self.entity = entity
            self.keys = keys
            self.readers = readers
            self.table = table
            cellCount = count
            hasMembers = readers.contains { if case .toMany = $0 { true } else { false } }
        }
    }

    private let rows: RowInsertion
    private let model: NSManagedObjectModel
    private let folder: String?
    private let usesUnixDates: Bool
    private let ignoresUnknown: Bool
    private var plans: [String: [Plan]] = [:]
    /// The entities by their names in the export; `nil` for those that are skipped.
    private var entities: [String: NSEntityDescription?] = [:]
    private(set) var counts: [String: Int] = [:]

    init(
        rows: RowInsertion, model: NSManagedObjectModel, folder: String?, usesUnixDates: Bool, ignoresUnknown: Bool
    ) {
        self.rows = rows
        self.model = model
        self.folder = folder
        self.usesUnixDates = usesUnixDates
        self.ignoresUnknown = ignoresUnknown
    }

    // MARK: Objects

    /// Inserts an object with its attributes and to-one relationships.
    func insert(_ node: JSONNode) throws {
        guard let (members, key, plan) = try object(node) else { return }
        var cells = [RestoredTable.Cell](repeating: .value(.null), count: plan.cellCount)
        for (member, reader) in zip(members, plan.readers) {
            switch reader {
            case .skip, .toMany: continue
            case .attribute(let cell, let reader): cells[cell] = .value(try reader.value(member.value))
            case .composite(let composite): try read(member.value, composite, &cells)
            case .toOne(let cell, let name): cells[cell] = .reference(try reference(member.value, name, plan.entity))
            }
        }
        try plan.table.insert(cells, key: key)
        counts[plan.entity.name ?? "", default: 0] += 1
    }

    /// Sets the to-many relationships of an object, whose members must have been inserted.
    func link(_ node: JSONNode) throws {
        guard let (members, key, plan) = try object(node), plan.hasMembers else { return }
        for (member, reader) in zip(members, plan.readers) {
            guard case .toMany(let name) = reader else { continue }
            if case .null = member.value { continue }
            guard case .array(let elements) = member.value else {
                throw Failure(message: "“\(plan.entity.name ?? "").\(name)” is \(member.value.typeName), not an array")
            }
            var references: [StoreContents.Reference] = []
            for element in elements {
                guard let reference = try reference(element, name, plan.entity) else {
                    throw Failure(message: "“\(plan.entity.name ?? "").\(name)” has a null")
                }
                references.append(reference)
            }
            guard !references.isEmpty else { continue }
            try plan.table.setMembers(references, of: name, owner: key)
        }
    }

    /// Returns the members, the key and the plan of an object; `nil` if its entity is skipped.
    private func object(
        _ node: JSONNode
    ) throws -> (members: [(key: String, value: JSONNode)], key: Int64, plan: Plan)? {
        guard case .object(let members) = node else {
            throw Failure(message: "the line is \(node.typeName), not an object")
        }
        guard let id = members.first(where: { $0.key == "_id" })?.value.text,
            let (name, key) = Self.split(id)
        else {
            throw Failure(message: "“_id” is missing or invalid", help: "Write it as Entity/number.")
        }
        if let stated = members.first(where: { $0.key == "_entity" })?.value, stated.text != name {
            throw Failure(message: "“_id” and “_entity” name different entities")
        }
        guard let entity = try entity(name) else { return nil }
        guard !entity.isAbstract else { throw Failure(message: "“\(name)” is abstract, and has no objects") }
        return (members, key, try plan(entity, name, members))
    }

    private static func split(_ id: String) -> (entity: String, key: Int64)? {
        guard let slash = id.lastIndex(of: "/"), let key = Int64(id[id.index(after: slash)...]) else { return nil }
        return (String(id[..<slash]), key)
    }

    private func entity(_ name: String) throws -> NSEntityDescription? {
        if let known = entities[name] { return known }
        let found =
            model.entitiesByName[name]
            ?? model.entities.first { $0.renamingIdentifier == name && $0.renamingIdentifier != nil }
        if found == nil, !ignoresUnknown {
            throw Failure(
                message: "the model has no entity “\(name)”",
                help: "Choose another --version of the model, or skip such objects with --ignore-unknown.")
        }
        entities[name] = .some(found)
        return found
    }

    // MARK: Plans

    private func plan(
        _ entity: NSEntityDescription, _ name: String, _ members: [(key: String, value: JSONNode)]
    ) throws -> Plan {
        let known = plans[name]?.first { plan in
            plan.keys.count == members.count && zip(plan.keys, members).allSatisfy { $0 == $1.key }
        }
        if let known { return known }
        guard (plans[name]?.count ?? 0) < 1000 else {
            throw Failure(message: "the objects of “\(name)” have too many combinations of properties")
        }
        var names: [String] = []
        var readers: [Reader] = []
        var used: Set<String> = []
        for member in members {
            if member.key == "_id" || member.key == "_entity" {
                readers.append(.skip)
                continue
            }
            let key = member.key.hasPrefix("__") ? String(member.key.dropFirst()) : member.key
            guard used.insert(key).inserted else { throw Failure(message: "“\(name).\(key)” occurs twice") }
            readers.append(try reader(key, entity, &names))
        }
        let plan = Plan(
            entity, members.map(\.key), readers, try rows.restoredTable(entity.name ?? "", properties: names),
            names.count)
        plans[name, default: []].append(plan)
        return plan
    }

    private func reader(
        _ key: String, _ entity: NSEntityDescription, _ names: inout [String]
    ) throws -> Reader {
        let property =
            entity.propertiesByName[key]
            ?? entity.properties.first { $0.renamingIdentifier == key && $0.renamingIdentifier != nil }
        let title = "\(entity.name ?? "").\(key)"
        guard let property, !property.isTransient, !(property is NSFetchedPropertyDescription) else {
            guard ignoresUnknown else {
                throw Failure(
                    message: "the model has no stored property “\(title)”",
                    help: "Choose another --version of the model, or skip such values with --ignore-unknown.")
            }
            return .skip
        }
        if let relationship = property as? NSRelationshipDescription {
            guard !relationship.isToMany else { return .toMany(name: relationship.name) }
            names.append(relationship.name)
            return .toOne(cell: names.count - 1, name: relationship.name)
        }
        guard let attribute = property as? NSAttributeDescription else { return .skip }
        guard let composite = attribute as? NSCompositeAttributeDescription else {
            names.append(attribute.name)
            return .attribute(cell: names.count - 1, valueReader(attribute, title))
        }
        return .composite(self.composite(composite, path: composite.name, title: title, &names))
    }

    private func composite(
        _ attribute: NSAttributeDescription, path: String, title: String, _ names: inout [String]
    ) -> Composite {
        guard let composite = attribute as? NSCompositeAttributeDescription else {
            names.append(path)
            return .element(cell: names.count - 1, valueReader(attribute, title))
        }
        var elements: [String: Composite] = [:]
        for element in composite.elements {
            elements[element.name] = self.composite(
                element, path: "\(path).\(element.name)", title: "\(title).\(element.name)", &names)
        }
        return .group(name: title, elements)
    }

    private func valueReader(_ attribute: NSAttributeDescription, _ title: String) -> ValueReader {
        ValueReader(name: title, type: attribute.attributeType, usesUnixDates: usesUnixDates, folder: folder)
    }

    // MARK: Values

    private func read(_ node: JSONNode, _ composite: Composite, _ cells: inout [RestoredTable.Cell]) throws {
        switch (node, composite) {
        case (_, .element(let cell, let reader)): cells[cell] = .value(try reader.value(node))
        case (.null, .group): return
        case (.object(let members), .group(let name, let elements)):
            for member in members {
                let key = member.key.hasPrefix("__") ? String(member.key.dropFirst()) : member.key
                guard let element = elements[key] else {
                    if ignoresUnknown { continue }
                    throw Failure(message: "“\(name)” has no element “\(key)”")
                }
                try read(member.value, element, &cells)
            }
        case (_, .group(let name, _)): throw Failure(message: "“\(name)” is \(node.typeName), not an object")
        }
    }

    /// Returns the object that a key, or a nested object, refers to.
    private func reference(
        _ node: JSONNode, _ relationship: String, _ owner: NSEntityDescription
    ) throws -> StoreContents.Reference? {
        if case .null = node { return nil }
        guard let id = node.text ?? node["_id"]?.text, let (name, key) = Self.split(id) else {
            throw Failure(
                message: "“\(owner.name ?? "").\(relationship)” is not the key of an object",
                help: "Write it as Entity/number.")
        }
        guard let entity = try entity(name) else { return nil }
        if let destination = owner.relationshipsByName[relationship]?.destinationEntity,
            !entity.isKindOf(entity: destination)
        {
            throw Failure(
                message:
                    "“\(owner.name ?? "").\(relationship)” refers to “\(id)”, which is no “\(destination.name ?? "")”")
        }
        return StoreContents.Reference(entity: entity.name ?? "", key: key)
    }
}
