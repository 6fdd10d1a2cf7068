internal import CoreData
internal import Foundation

/// What is exported: the hierarchies with the entities, properties and conditions.
final class ExportPlan {
    /// A property of an entity. An object, which is passed for each value of a row.
    final class Property {
        /// The name in the model; that of an element of a composite attribute is its path.
        let name: String
        let isOptional: Bool
        let kind: Kind

        init(name: String, isOptional: Bool, kind: Kind) {
            self.name = name
            self.isOptional = isOptional
            self.kind = kind
        }
    }

    /// The position of a property in the query of a table.
    enum Kind {
        case attribute(column: Int32, StoreLayout.Attribute)
        case toOne(key: Int32, entity: Int32?, order: Int32?, StoreLayout.ToOne)
        case toMany(cursor: Int)
    }

    /// An entity whose objects are exported.
    final class Entity {
        let layout: StoreLayout.Entity
        /// `Z_ENT`.
        let number: Int
        let properties: [Property]
        let fileName: String

        init(layout: StoreLayout.Entity, properties: [Property], fileName: String) {
            self.layout = layout
            number = layout.number
            self.properties = properties
            self.fileName = fileName
        }
    }

    /// The tables that the members of a to-many relationship are read from.
    struct Cursor {
        var name: String
        /// The entity that declares it.
        var owner: StoreLayout.Entity
        var destination: StoreLayout.Entity
        /// Whether members may be of other entities.
        var isPolymorphic: Bool
        var isOrdered: Bool
        /// Whether the members follow from the rows of the members, which have a to-one inverse.
        var hasToOneInverse: Bool
        /// The query of owner, member and, if members may be of several entities, their number.
        var query: String
    }

    /// A hierarchy of entities, which are in one table.
    struct Hierarchy {
        var table: String
        /// The columns of the query, after `Z_PK` and `Z_ENT`.
        var columns: [String] = []
        /// The exported entities, by number.
        var entities: [Int: Entity] = [:]
        var cursors: [Cursor] = []
        /// Whether the table contains rows of one entity alone, whatever number they have.
        var hasSingleEntity = false
        /// The condition for rows, and the values that it needs; `nil` for all.
        var condition: (sql: String, selections: [RowSelection])?
        /// The name of the files of the hierarchy.
        var fileName: String

        var query: String {
            let list = (["Z_PK", "Z_ENT"] + columns.map(SQLName.inQuotes)).joined(separator: ", ")
            return "SELECT \(list) FROM \(SQLName.inQuotes(table))" + (condition.map { " WHERE \($0.sql)" } ?? "")
                + " ORDER BY Z_PK"
        }

        /// The entities in the order of their names.
        var sortedEntities: [Entity] { entities.values.sorted { $0.layout.name < $1.layout.name } }
    }

    let layout: StoreLayout
    let examination: StoreExamination
    let options: StoreExporter.Options
    private(set) var hierarchies: [Hierarchy] = []
    /// The names of entities by number, as the start of a JSON string: `"Book/`.
    private var identityPrefixes: [[UInt8]] = []
    /// The names of entities by number: an entity itself has many parts that a lookup would retain.
    private var entityNames: [String?] = []

    var database: DoctorDatabase { examination.database }

    init(
        layout: StoreLayout, examination: StoreExamination, options: StoreExporter.Options
    ) throws(StoreExporter.Failure) {
        self.layout = layout
        self.examination = examination
        self.options = options
        for entity in layout.entities where entity.number >= 0 {
            var prefix: [UInt8] = []
            prefix.append(json: entity.name)
            prefix[prefix.count - 1] = 0x2F
            while identityPrefixes.count <= entity.number {
                identityPrefixes.append(Array("\"?/".utf8))
                entityNames.append(nil)
            }
            identityPrefixes[entity.number] = prefix
            entityNames[entity.number] = entity.name
        }
        let selected = try selectedNumbers()
        try checkColumns(selected)
        let conditions = try conditions()
        var names = FileNames()
        for root in layout.entities where root.isRoot {
            var hierarchy = Hierarchy(table: root.table, fileName: names.name(root.name))
            for number in root.numbers {
                guard let entity = layout.entity(number: number), selected.contains(number), !entity.isAbstract else {
                    continue
                }
                let name = options.mergesHierarchies || entity.isRoot ? hierarchy.fileName : names.name(entity.name)
                hierarchy.entities[number] = Entity(
                    layout: entity, properties: properties(of: entity, &hierarchy), fileName: name)
            }
            guard !hierarchy.entities.isEmpty else { continue }
            hierarchy.hasSingleEntity = root.numbers.count == 1 && !root.sharesTable
            hierarchy.condition = condition(
                hierarchy, root: root,
                isPartial: hierarchy.entities.count
                    < root.numbers.count { number in
                        layout.entity(number: number)?.isAbstract == false
                    }, conditions)
            hierarchies.append(hierarchy)
        }
    }

    func name(ofEntity number: Int) -> String? {
        entityNames.indices.contains(number) ? entityNames[number] : nil
    }

    /// Appends the key of an object as a JSON string.
    func append(key: Int64, entity number: Int, to bytes: inout [UInt8]) {
        if identityPrefixes.indices.contains(number) {
            bytes.append(contentsOf: identityPrefixes[number])
        } else {
            bytes.append("\"?/")
        }
        bytes.append(number: key)
        bytes.append(0x22)
    }

    // MARK: Selection

    private func entity(_ name: String) throws(StoreExporter.Failure) -> StoreLayout.Entity {
        guard let entity = layout.entity(named: name) else {
            throw StoreExporter.Failure(
                .unknownElement, "the store has no entity “\(name)”",
                help: "The entities are \(layout.entities.map(\.name).sorted().joined(separator: ", ")).")
        }
        return entity
    }

    private func selectedNumbers() throws(StoreExporter.Failure) -> Set<Int> {
        guard !options.entities.isEmpty else { return Set(layout.entities.map(\.number)) }
        var result: Set<Int> = []
        for name in options.entities { result.formUnion(try entity(name).numbers) }
        return result
    }

    /// The keys of the requested properties; `nil` for all.
    private lazy var requestedColumns: Set<String>? = options.columns.isEmpty ? nil : Set(options.columns)

    private func isRequested(_ property: String, of entity: StoreLayout.Entity) -> Bool {
        guard let requestedColumns else { return true }
        let top = String(property.prefix { $0 != "." })
        return [property, top].contains { name in
            requestedColumns.contains(name)
                || layout.entities.contains { ancestor in
                    ancestor.numbers.contains(entity.number) && requestedColumns.contains("\(ancestor.name).\(name)")
                }
        }
    }

    private func checkColumns(_ selected: Set<Int>) throws(StoreExporter.Failure) {
        for column in options.columns {
            let isKnown = layout.entities.contains { entity in
                selected.contains(entity.number)
                    && entity.properties.contains { property in
                        let names = [property.name, String(property.name.prefix { $0 != "." })]
                        return names.contains { $0 == column || "\(entity.name).\($0)" == column }
                    }
            }
            guard isKnown else {
                throw StoreExporter.Failure(
                    .unknownElement, "no exported entity has a stored property “\(column)”",
                    help: "Write --columns property,… or --columns Entity.property,….")
            }
        }
    }

    // MARK: Conditions

    private typealias Condition = (entity: StoreLayout.Entity, selection: RowSelection)

    private func conditions() throws(StoreExporter.Failure) -> [Condition] {
        var result: [Condition] = []
        for (name, text) in options.conditions {
            let entity = try entity(name)
            guard let description = layout.description(of: name) else { continue }
            let predicate: NSPredicate?
            do throws(PredicateCheck.Failure) {
                predicate = try PredicateCheck.predicate(text, description)
            } catch {
                throw StoreExporter.Failure(
                    .predicate, "invalid predicate “\(text)”: \(error.message)",
                    help: error.help
                        ?? "Write it as for NSPredicate, for example: pages > 100 AND title BEGINSWITH 'A'."
                )
            }
            guard let predicate else {
                throw StoreExporter.Failure(.predicate, "the predicate is empty", help: "Write a predicate.")
            }
            do throws(StoreLayout.Failure) {
                result.append((entity, try layout.selection(of: description, matching: predicate)))
            } catch {
                throw StoreExporter.Failure(
                    .predicate, "unsupported predicate “\(text)”: \(error.description)",
                    help: "Use comparisons that a fetch from a SQLite store supports.")
            }
        }
        return result
    }

    private func condition(
        _ hierarchy: Hierarchy, root: StoreLayout.Entity, isPartial: Bool, _ conditions: [Condition]
    ) -> (sql: String, selections: [RowSelection])? {
        let own = conditions.filter { root.numbers.contains($0.entity.number) }
        guard isPartial || !own.isEmpty else { return nil }
        guard !own.isEmpty else {
            return (SQLName.isIn("Z_ENT", hierarchy.entities.keys.sorted()), [])
        }
        // Entities with the same conditions share a term.
        var groups: [[Int]: [Int]] = [:]
        for number in hierarchy.entities.keys {
            groups[own.indices.filter { own[$0].entity.numbers.contains(number) }, default: []].append(number)
        }
        var selections: [RowSelection] = []
        var terms: [String] = []
        for (indices, numbers) in groups.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            var parts = hierarchy.hasSingleEntity ? [] : [SQLName.isIn("Z_ENT", numbers.sorted())]
            for index in indices {
                parts.append("Z_PK IN (\(own[index].selection.sql))")
                selections.append(own[index].selection)
            }
            terms.append("(" + (parts.isEmpty ? "1" : parts.joined(separator: " AND ")) + ")")
        }
        return (terms.joined(separator: " OR "), selections)
    }

    // MARK: Properties

    private func properties(of entity: StoreLayout.Entity, _ hierarchy: inout Hierarchy) -> [Property] {
        func index(_ column: String) -> Int32 {
            let key = SQLName.key(column)
            if let known = hierarchy.columns.firstIndex(where: { SQLName.key($0) == key }) { return Int32(known + 2) }
            hierarchy.columns.append(column)
            return Int32(hierarchy.columns.count + 1)
        }
        var result: [Property] = []
        for property in entity.properties where isRequested(property.name, of: entity) {
            func add(_ kind: Kind) {
                result.append(Property(name: property.name, isOptional: property.isOptional, kind: kind))
            }
            switch property.position {
            case .attribute(let attribute): add(.attribute(column: index(attribute.column), attribute))
            case .toOne(let toOne):
                guard options.relationships != .none else { continue }
                add(
                    .toOne(
                        key: index(toOne.key), entity: toOne.entity.map(index),
                        order: options.format == .sqlite ? toOne.order.map(index) : nil, toOne))
            case .members, .join:
                guard options.relationships != .none, let cursor = cursor(property, of: entity) else { continue }
                // Subentities inherit the relationship, and with it the columns.
                if let known = hierarchy.cursors.firstIndex(where: { $0.query == cursor.query }) {
                    add(.toMany(cursor: known))
                } else {
                    hierarchy.cursors.append(cursor)
                    add(.toMany(cursor: hierarchy.cursors.count - 1))
                }
            }
        }
        return result
    }

    private func cursor(_ property: StoreLayout.Property, of entity: StoreLayout.Entity) -> Cursor? {
        let owner =
            layout.entities.first { declaring in
                declaring.numbers.contains(entity.number)
                    && declaring.properties.contains { $0.name == property.name && $0.isDeclared }
            } ?? entity
        func make(
            _ destination: StoreLayout.Entity, order: String?, hasToOneInverse: Bool,
            _ query: (_ isPolymorphic: Bool) -> String
        ) -> Cursor {
            let isPolymorphic = destination.numbers.count > 1
            return Cursor(
                name: property.name, owner: owner, destination: destination, isPolymorphic: isPolymorphic,
                isOrdered: order != nil, hasToOneInverse: hasToOneInverse, query: query(isPolymorphic))
        }
        switch property.position {
        case .members(let members):
            guard let destination = layout.entity(number: members.destination) else { return nil }
            return make(destination, order: members.order, hasToOneInverse: !members.lacksInverse) { isPolymorphic in
                let (table, key) = (SQLName.inQuotes(members.table), SQLName.inQuotes(members.key))
                let sorting = members.order.map { "\(SQLName.inQuotes($0)) IS NULL, \(SQLName.inQuotes($0)), " } ?? ""
                return "SELECT \(key), Z_PK\(isPolymorphic ? ", Z_ENT" : "") FROM \(table) WHERE \(key) IS NOT NULL "
                    + "ORDER BY \(key), \(sorting)Z_PK"
            }
        case .join(let join):
            guard let destination = layout.entity(number: join.destination) else { return nil }
            return make(destination, order: join.order, hasToOneInverse: false) { isPolymorphic in
                let (own, other) = ("j.\(SQLName.inQuotes(join.own))", "j.\(SQLName.inQuotes(join.other))")
                let sorting = join.order.map { "j.\(SQLName.inQuotes($0)) IS NULL, j.\(SQLName.inQuotes($0)), " } ?? ""
                let members =
                    isPolymorphic ? " LEFT JOIN \(SQLName.inQuotes(destination.table)) m ON m.Z_PK = \(other)" : ""
                return
                    "SELECT \(own), \(other)\(isPolymorphic ? ", m.Z_ENT" : "") FROM \(SQLName.inQuotes(join.table)) j"
                    + "\(members) WHERE \(own) IS NOT NULL AND \(other) IS NOT NULL "
                    + "ORDER BY \(own), \(sorting)\(other)"
            }
        case .attribute, .toOne: return nil
        }
    }
}

/// Names of files for entities, which may have any name: unique regardless of case, and without special characters.
struct FileNames {
    private var taken: Set<String> = ["schema", "model", "files"]

    mutating func name(_ entity: String) -> String {
        var result = Self.escaped(entity)
        if result.utf8.count > 150 || result.isEmpty {
            result = String(decoding: result.utf8.prefix(150), as: UTF8.self)
        }
        var number = 2
        let base = result
        while !taken.insert(SQLName.key(result)).inserted {
            result = "\(base)_\(number)"
            number += 1
        }
        return result
    }

    /// Returns a name in which everything but ASCII letters, digits, `_` and `-` is a percent code.
    static func escaped(_ name: String) -> String {
        var result: [UInt8] = []
        for byte in name.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D: result.append(byte)
            default:
                result.append(0x25)
                if byte < 0x10 { result.append(0x30) }
                result.append(contentsOf: String(byte, radix: 16, uppercase: true).utf8)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
