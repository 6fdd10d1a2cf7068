internal import CoreData
internal import Diagnostics
internal import Foundation

/// Inserts the objects of an export into a store.
final class ImportedRows {
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
        let hasReferences: Bool

        init(
            _ entity: NSEntityDescription, keys: [String], readers: [Reader], table: RestoredTable, cellCount count: Int
        ) {
            self.entity = entity
            self.keys = keys
            self.readers = readers
            self.table = table
            cellCount = count
            hasReferences = readers.contains {
                switch $0 {
                case .toOne, .toMany: true
                case .skip, .attribute, .composite: false
                }
            }
        }
    }

    private let rows: RowInsertion
    private let model: NSManagedObjectModel
    private let folder: String?
    private let hasNumericDates: Bool
    private let names: ImportedNames
    private let ignoresUnknown: Bool
    private var plans: [String: [[String]: Plan]] = [:]
    private var lastPlan: (name: String, plan: Plan)?
    private static let planLimit = 1000
    /// The keys of the inserted objects by entity.
    private var keys: [String: KeySet] = [:]
    /// The number of references to missing objects, by entity and property.
    private var missing: [[String]: Int] = [:]
    /// The entities by their names in the export; `nil` for those that are skipped.
    private var entities: [String: NSEntityDescription?] = [:]
    private(set) var counts: [String: Int] = [:]

    init(
        rows: RowInsertion, model: NSManagedObjectModel, source: NSManagedObjectModel?, folder: String?,
        hasNumericDates: Bool, ignoresUnknown: Bool
    ) {
        self.rows = rows
        self.model = model
        self.folder = folder
        self.hasNumericDates = hasNumericDates
        names = ImportedNames(source: source, model: model)
        self.ignoresUnknown = ignoresUnknown
    }

    // MARK: Objects

    /// Inserts an object with its attributes and to-one relationships.
    func insert(_ node: ParsedJSON) throws {
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
        do {
            try plan.table.insert(cells, key: key)
        } catch let error as RestoredTable.Failure {
            guard let other = owner(of: key, besides: plan.entity) else { throw error }
            throw Failure(
                message: other == plan.entity.name
                    ? "“\(other)/\(key)” occurs twice"
                    : "“\(plan.entity.name ?? "")/\(key)” and “\(other)/\(key)” have the same number in one hierarchy",
                help: "Give each object of a hierarchy a different number.")
        }
        counts[plan.entity.name ?? "", default: 0] += 1
        keys[plan.entity.name ?? "", default: KeySet()].insert(key)
    }

    /// Returns the entity of the inserted object that has a key in the table of an entity; `nil` if there is none.
    private func owner(of key: Int64, besides entity: NSEntityDescription) -> String? {
        func root(_ entity: NSEntityDescription) -> NSEntityDescription { entity.superentity.map(root) ?? entity }
        return keys.keys.filter { keys[$0]?.contains(key) ?? false }.sorted().first { name in
            model.entitiesByName[name].map { root($0) === root(entity) } ?? false
        }
    }

    /// The references to objects that were not inserted.
    var problems: [StoreExporter.Problem] {
        missing.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map {
            StoreExporter.Problem(
                entity: $0.key[0], property: $0.key[1], reason: .missingObject, count: $0.value)
        }
    }

    /// Sets the to-many relationships of an object, and counts the references to missing objects. All objects must have
    /// been inserted.
    func link(_ node: ParsedJSON) throws {
        guard let (members, key, plan) = try object(node), plan.hasReferences else { return }
        func check(_ reference: StoreContents.Reference, _ name: String) {
            guard keys[reference.entity]?.contains(reference.key) != true else { return }
            missing[[plan.entity.name ?? "", name], default: 0] += 1
        }
        for (member, reader) in zip(members, plan.readers) {
            if case .toOne(_, let name) = reader,
                let reference = try reference(member.value, name, plan.entity)
            {
                check(reference, name)
            }
            guard case .toMany(let name) = reader else { continue }
            if case .null = member.value { continue }
            guard case .array(let elements) = member.value else {
                throw Failure(message: "“\(plan.entity.name ?? "").\(name)” is \(member.value.typeName), not an array")
            }
            var references: [StoreContents.Reference] = []
            for element in elements {
                if case .null = element {
                    throw Failure(message: "“\(plan.entity.name ?? "").\(name)” has a null")
                }
                // An object of an entity that is skipped.
                guard let reference = try reference(element, name, plan.entity) else { continue }
                check(reference, name)
                references.append(reference)
            }
            guard !references.isEmpty else { continue }
            try plan.table.setMembers(references, of: name, owner: key)
        }
    }

    /// Returns the members, the key and the plan of an object; `nil` if its entity is skipped.
    private func object(
        _ node: ParsedJSON
    ) throws -> (members: [(key: String, value: ParsedJSON)], key: Int64, plan: Plan)? {
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
        let found = try names.entity(name)
        if found == nil, !ignoresUnknown {
            throw Failure(
                message: "the model has no entity “\(name)”",
                help: "Choose another --version of the model, or skip such objects with --ignore-unknown.")
        }
        if let found, let other = entities.first(where: { $0.value === found })?.key {
            throw Failure(
                message: "“\(other)” and “\(name)” would both be objects of “\(found.name ?? "")”",
                help: "Choose the --version of the model that the export was made with.")
        }
        entities[name] = .some(found)
        return found
    }

    // MARK: Plans

    private func plan(
        _ entity: NSEntityDescription, _ name: String, _ members: [(key: String, value: ParsedJSON)]
    ) throws -> Plan {
        if let last = lastPlan, last.name == name, last.plan.keys.count == members.count,
            zip(last.plan.keys, members).allSatisfy({ $0 == $1.key })
        {
            return last.plan
        }
        let keys = members.map(\.key)
        if let known = plans[name]?[keys] {
            lastPlan = (name, known)
            return known
        }
        // Lines that a program or a person writes can have any combination of members.
        if (plans[name]?.count ?? 0) >= Self.planLimit { plans[name] = nil }
        let properties = keys.filter { !Self.isOwn($0) }.map(Self.propertyName)
        var used: Set<String> = []
        if let twice = properties.first(where: { !used.insert($0).inserted }) {
            throw Failure(message: "“\(name).\(twice)” occurs twice")
        }
        let found = try names.properties(properties, of: entity, exportedAs: name)
        var names: [String] = []
        var readers: [Reader] = []
        for key in keys {
            guard !Self.isOwn(key) else {
                readers.append(.skip)
                continue
            }
            let property = Self.propertyName(key)
            readers.append(try reader(found[property] ?? nil, "\(entity.name ?? "").\(property)", &names))
        }
        let plan = Plan(
            entity, keys: keys, readers: readers,
            table: try rows.restoredTable(entity.name ?? "", properties: names), cellCount: names.count)
        plans[name, default: [:]][keys] = plan
        lastPlan = (name, plan)
        return plan
    }

    /// Returns whether a member belongs to the format.
    private static func isOwn(_ key: String) -> Bool { key == "_id" || key == "_entity" }

    private static func propertyName(_ key: String) -> String { key.hasPrefix("__") ? String(key.dropFirst()) : key }

    private func reader(
        _ property: NSPropertyDescription?, _ title: String, _ names: inout [String]
    ) throws -> Reader {
        guard let property else {
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
        ValueReader(name: title, type: attribute.attributeType, hasNumericDates: hasNumericDates, folder: folder)
    }

    // MARK: Values

    private func read(_ node: ParsedJSON, _ composite: Composite, _ cells: inout [RestoredTable.Cell]) throws {
        switch (node, composite) {
        case (_, .element(let cell, let reader)): cells[cell] = .value(try reader.value(node))
        case (.null, .group): return
        case (.object(let members), .group(let name, let elements)):
            for member in members {
                let key = Self.propertyName(member.key)
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
        _ node: ParsedJSON, _ relationship: String, _ owner: NSEntityDescription
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
                    "“\(owner.name ?? "").\(relationship)” refers to “\(id)”, which is not a “\(destination.name ?? "")”"
            )
        }
        return StoreContents.Reference(entity: entity.name ?? "", key: key)
    }
}
