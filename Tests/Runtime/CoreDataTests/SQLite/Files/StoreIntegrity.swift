import StoreFile
import Testing

@testable import CoreData

/// A check for problems in a store's file that SQLite does not detect: it enforces neither relationships nor Core
/// Data's counters.
struct StoreIntegrity {
    /// The schema of a model in a file, computed once for many checks.
    struct Plan {
        fileprivate let schema: StoreSchema
        fileprivate let layouts: [String: EntityLayout]

        init(_ model: NSManagedObjectModel) throws {
            // Use the model, which freezes it.
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
            schema = try SchemaBuilder.schema(of: coordinator.managedObjectModel.entities)
            var layouts: [String: EntityLayout] = [:]
            for mapping in schema.entities { layouts[mapping.name] = coordinator.layout(named: mapping.name) }
            self.layouts = layouts
        }
    }

    private let database: TestDatabase
    private let schema: StoreSchema
    private let layouts: [String: EntityLayout]
    private var problems: [String] = []

    /// Checks a file against the model that is stored in it.
    ///
    /// - Returns: The problems; none for a file without a stored model.
    static func problems(of url: URL) throws -> [String] {
        guard let archive = try StoreFile(path: url.path).modelArchive else { return [] }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("Model-\(UUID().uuidString).mom")
        try Data(archive).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        guard let model = NSManagedObjectModel(contentsOf: file) else { return ["the stored model cannot be read"] }
        return try problems(of: url, Plan(model))
    }

    /// Checks a file against the model that it was created with.
    static func problems(of url: URL, _ plan: Plan) throws -> [String] {
        var check = try StoreIntegrity(url, plan)
        try check.run()
        return check.problems
    }

    /// Records an issue for each problem of a file, if it is a store.
    static func expectSound(_ url: URL) {
        guard FileManager.default.fileExists(atPath: url.path), let problems = try? problems(of: url) else { return }
        for problem in problems { Issue.record("\(url.lastPathComponent): \(problem)") }
    }

    private init(_ url: URL, _ plan: Plan) throws {
        database = try TestDatabase(path: url.path)
        schema = plan.schema
        layouts = plan.layouts
    }

    private mutating func run() throws {
        let sound = try database.rows("PRAGMA integrity_check")
        guard sound == [["ok"]] else { return problems.append("SQLite: \(sound)") }
        for table in Set(schema.entities.map(\.table)).sorted() { try checkRows(table) }
        for entity in schema.entities {
            guard let layout = layouts[entity.name] else { continue }
            for (slot, position) in entity.slotColumns.enumerated() {
                let name = "\(entity.name).\(layout.slots[slot].name)"
                switch position {
                case .toOne(let columns): try check(columns, of: entity, layout.slots[slot], name)
                case .inverse(let columns): try check(columns, of: entity, name)
                case .join(let side): try check(side, of: entity, name)
                case .nowhere, .attribute, .composite: continue
                }
            }
        }
        try checkUniqueness()
    }

    /// Records a problem if a query returns rows.
    private mutating func expectNone(_ what: String, _ query: String) throws {
        let rows = try database.rows(query)
        if !rows.isEmpty { problems.append("\(what): \(rows.prefix(5).map { $0.map { $0 ?? "NULL" } })") }
    }

    private func quoted(_ name: String) -> String { SQLName.quoted(name) }

    private func numbers(_ entity: EntityMapping) -> String { entity.numbers.map(String.init).joined(separator: ",") }

    /// Returns a subquery for the row to which a column refers.
    private func target(_ column: String, _ destination: EntityMapping) -> String {
        "(SELECT 1 FROM \(quoted(destination.table)) d WHERE d.Z_PK = \(column) AND d.Z_ENT IN (\(numbers(destination))))"
    }

    // MARK: Rows

    private mutating func checkRows(_ table: String) throws {
        let entities = schema.entities.filter { $0.table == table }
        let all = entities.map { "\($0.number)" }.joined(separator: ",")
        try expectNone(
            "\(table) has rows of other entities",
            "SELECT Z_PK, Z_ENT FROM \(quoted(table)) WHERE Z_ENT NOT IN (\(all))")
        try expectNone(
            "\(table) has rows without version", "SELECT Z_PK, Z_OPT FROM \(quoted(table)) WHERE ifnull(Z_OPT, 0) < 1")
        guard let root = entities.first?.rootNumber else { return }
        try expectNone(
            "\(table) has keys above Z_MAX",
            "SELECT max(Z_PK), (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(root)) m FROM \(quoted(table)) "
                + "HAVING max(Z_PK) > ifnull(m, 0)")
    }

    private mutating func checkUniqueness() throws {
        for entity in schema.entities {
            guard let layout = layouts[entity.name] else { continue }
            for constraint in layout.entity.uniquenessConstraints {
                let columns = constraint.compactMap { $0 as? String }.compactMap { name -> String? in
                    guard let slot = layout.index(of: name) else { return nil }
                    switch entity.slotColumns[slot] {
                    case .attribute(let column): return quoted(column)
                    case .toOne(let columns): return quoted(columns.key)
                    case .nowhere, .composite, .inverse, .join: return nil
                    }
                }
                guard columns.count == constraint.count else { continue }
                let list = columns.joined(separator: ", ")
                let present = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
                try expectNone(
                    "\(entity.name) has duplicates of \(constraint)",
                    "SELECT \(list), count(*) FROM \(quoted(entity.table)) WHERE Z_ENT IN (\(numbers(entity))) "
                        + "AND \(present) GROUP BY \(list) HAVING count(*) > 1")
            }
        }
    }

    // MARK: Relationships

    private mutating func check(
        _ columns: ToOneColumns, of entity: EntityMapping, _ slot: EntityLayout.Slot, _ name: String
    ) throws {
        guard let destination = schema.entity(number: columns.destination), let other = layouts[destination.name] else {
            return
        }
        let (table, key) = (quoted(entity.table), quoted(columns.key))
        let inverse = slot.inverse >= 0 ? other.slots[slot.inverse] : nil
        // The rule No Action leaves references to deleted objects.
        guard inverse?.deleteRule != .noActionDeleteRule else { return }
        let rows = "FROM \(table) t WHERE t.Z_ENT = \(entity.number) AND t.\(key)"
        try expectNone(
            "\(name) is dangling",
            "SELECT t.Z_PK, t.\(key) \(rows) IS NOT NULL AND NOT EXISTS \(target("t.\(key)", destination))")
        if let column = columns.entity {
            try expectNone(
                "\(name) has a wrong entity",
                "SELECT t.Z_PK, t.\(quoted(column)) \(rows) IS NOT NULL AND t.\(quoted(column)) IS NOT "
                    + "(SELECT Z_ENT FROM \(quoted(destination.table)) WHERE Z_PK = t.\(key))")
        }
        if slot.inverse >= 0, case .toOne(let back) = destination.slotColumns[slot.inverse] {
            try expectNone(
                "\(name) and its inverse differ",
                "SELECT t.Z_PK, t.\(key) \(rows) IS NOT NULL AND t.Z_PK IS NOT "
                    + "(SELECT \(quoted(back.key)) FROM \(quoted(destination.table)) WHERE Z_PK = t.\(key))")
        }
    }

    private mutating func check(_ columns: InverseColumns, of entity: EntityMapping, _ name: String) throws {
        let (table, key) = (quoted(columns.table), quoted(columns.key))
        if columns.isVirtual, entity.superNumber == 0 || columns.entity != nil {
            try expectNone(
                "\(name) has members of what is gone",
                "SELECT m.Z_PK, m.\(key) FROM \(table) m WHERE m.\(key) IS NOT NULL AND NOT EXISTS "
                    + "(SELECT 1 FROM \(quoted(entity.table)) o WHERE o.Z_PK = m.\(key))")
        }
        if let order = columns.order { try checkOrder(table, key, quoted(order), name) }
    }

    private mutating func check(_ side: JoinSide, of entity: EntityMapping, _ name: String) throws {
        guard let destination = schema.entity(number: side.destination) else { return }
        let (table, own, other) = (quoted(side.table), quoted(side.own), quoted(side.other))
        try expectNone(
            "\(name) has members that are gone",
            "SELECT \(own), \(other) FROM \(table) WHERE NOT EXISTS \(target("\(table).\(other)", destination))")
        if side.isReflexive {
            try expectNone(
                "\(name) holds one half of a pair",
                "SELECT \(own), \(other) FROM \(table) j WHERE NOT EXISTS "
                    + "(SELECT 1 FROM \(table) k WHERE k.\(own) = j.\(other) AND k.\(other) = j.\(own))")
        }
        if let order = side.order { try checkOrder(table, own, quoted(order), name) }
    }

    /// Checks that the members of each object have distinct positions.
    private mutating func checkOrder(_ table: String, _ owner: String, _ order: String, _ name: String) throws {
        try expectNone(
            "\(name) has members without place",
            "SELECT \(owner), \(order) FROM \(table) WHERE \(owner) IS NOT NULL AND \(order) IS NULL")
        try expectNone(
            "\(name) has several members in one place",
            "SELECT \(owner), \(order), count(*) FROM \(table) WHERE \(owner) IS NOT NULL "
                + "GROUP BY \(owner), \(order) HAVING count(*) > 1")
    }
}
