internal import CoreData

/// Writes a SQL script that creates views over the tables of the store, named by entity and property.
///
/// The views are temporary, so that the store stays as it is: `sqlite3 -readonly -init views.sql store.sqlite`.
struct ViewScript {
    private let plan: ExportPlan

    init(_ plan: ExportPlan) {
        self.plan = plan
    }

    func export(to target: ExportTarget) throws(StoreExporter.Failure) -> StoreExporter.Summary {
        guard plan.options.conditions.isEmpty, plan.options.limit == nil else {
            throw StoreExporter.Failure(
                .unknownElement, "views contain all objects", help: "Use --where and --limit with other formats.")
        }
        let bytes = [UInt8](text.utf8)
        switch target.kind {
        case .file(let path):
            let file = try NewFile(path)
            try file.write(bytes)
            try file.finish()
        case .stream(let write): try write(bytes)
        case .folder:
            throw StoreExporter.Failure(.output, "views are one file", help: "Specify a file with --output.")
        }
        return StoreExporter.Summary()
    }

    private var text: String {
        var names = TableNames(
            reserved: plan.examination.tables.values.map(\.name).filter { plan.layout.entity(named: $0) == nil })
        var views: [String] = []
        let exported = Set(plan.hierarchies.flatMap { $0.entities.keys })
        let entities = plan.layout.entities.filter { entity in entity.numbers.contains { exported.contains($0) } }
            .sorted { $0.name < $1.name }
        let titles = Dictionary(entities.map { ($0.number, names.name($0.name)) }) { first, _ in first }
        for entity in entities { views.append(view(of: entity, titles[entity.number] ?? entity.name)) }
        for entity in entities {
            for property in entity.properties where property.isDeclared {
                if let view = pairs(property, entity, &names) { views.append(view) }
            }
        }
        return """
            \(StoreExporter.viewsMark)
            -- sqlite3 -readonly -init views.sql store.sqlite

            """ + views.joined(separator: "\n")
    }

    /// Returns the expression of the name of an entity, by its number.
    private func name(_ number: String, of entity: StoreLayout.Entity) -> String {
        guard entity.numbers.count > 1 else { return SQLName.literal(entity.name) }
        let cases = entity.numbers.map {
            "WHEN \($0) THEN \(SQLName.literal(plan.layout.entity(number: $0)?.name ?? ""))"
        }
        return "CASE \(number) \(cases.joined(separator: " ")) END"
    }

    private func view(of entity: StoreLayout.Entity, _ title: String) -> String {
        var columns = ["t.Z_PK AS \"_id\"", "\(name("t.Z_ENT", of: entity)) AS \"_entity\""]
        var names = TableNames(reserved: ["_id", "_entity"])
        for property in entity.properties where isRequested(property.name, entity) {
            switch property.position {
            case .attribute(let attribute):
                columns.append("\(value(attribute)) AS \(SQLName.inQuotes(names.name(property.name)))")
            case .toOne(let toOne):
                guard plan.options.relationships != .none else { continue }
                columns.append("t.\(SQLName.inQuotes(toOne.key)) AS \(SQLName.inQuotes(names.name(property.name)))")
                if let number = toOne.entity, let destination = plan.layout.entity(number: toOne.destination) {
                    columns.append(
                        "\(name("t.\(SQLName.inQuotes(number))", of: destination)) AS "
                            + SQLName.inQuotes(names.name("\(property.name)_entity")))
                }
            case .members, .join: continue
            }
        }
        let condition =
            entity.sharesTable || entity.numbers.count > 1 ? " WHERE \(SQLName.isIn("t.Z_ENT", entity.numbers))" : ""
        return "CREATE TEMP VIEW \(SQLName.inQuotes(title)) AS SELECT\n    \(columns.joined(separator: ",\n    "))\n"
            + "FROM main.\(SQLName.inQuotes(entity.table)) t\(condition);\n"
    }

    private func isRequested(_ name: String, _ entity: StoreLayout.Entity) -> Bool {
        guard !plan.options.columns.isEmpty else { return true }
        let known = plan.hierarchies.lazy.flatMap(\.entities.values).filter {
            entity.numbers.contains($0.layout.number)
        }
        return known.contains { $0.properties.contains { $0.name == name } }
    }

    private func value(_ attribute: StoreLayout.Attribute) -> String {
        let column = "t.\(SQLName.inQuotes(attribute.column))"
        switch attribute.type {
        case .dateAttributeType:
            switch plan.options.dates {
            case .iso:
                return "CASE WHEN \(column) BETWEEN -63113904000 AND 252423993599 "
                    + "THEN strftime('%Y-%m-%dT%H:%M:%fZ', \(column) + 978307200, 'unixepoch') ELSE \(column) END"
            case .seconds: return column
            case .unix: return "\(column) + 978307200"
            }
        case .UUIDAttributeType:
            let hex = "hex(\(column))"
            let parts = [(1, 8), (9, 4), (13, 4), (17, 4), (21, 12)].map { "substr(\(hex), \($0), \($1))" }
            return "CASE WHEN typeof(\(column)) = 'blob' AND length(\(column)) = 16 THEN "
                + parts.joined(separator: " || '-' || ") + " ELSE \(column) END"
        default: return column
        }
    }

    /// Returns the view of the pairs of a to-many relationship that has no to-one inverse.
    private func pairs(
        _ property: StoreLayout.Property, _ entity: StoreLayout.Entity, _ names: inout TableNames
    ) -> String? {
        guard plan.options.relationships != .none, isRequested(property.name, entity) else { return nil }
        let (owner, member, order, table, destination): (String, String, String?, String, Int)
        switch property.position {
        case .join(let join):
            (owner, member, order, table, destination) = (
                join.own, join.other, join.order, join.table, join.destination
            )
        case .members(let members) where members.lacksInverse:
            (owner, member, order, table, destination) = (
                members.key, "Z_PK", members.order, members.table, members.destination
            )
        case .members, .attribute, .toOne: return nil
        }
        var columns = TableNames()
        let first = columns.name(entity.name.prefix(1).lowercased() + entity.name.dropFirst())
        let name = plan.layout.entity(number: destination)?.name ?? "member"
        let second = columns.name(name.prefix(1).lowercased() + name.dropFirst())
        var list = [
            "\(SQLName.inQuotes(owner)) AS \(SQLName.inQuotes(first))",
            "\(SQLName.inQuotes(member)) AS \(SQLName.inQuotes(second))",
        ]
        if let order { list.append("\(SQLName.inQuotes(order)) AS \(SQLName.inQuotes(columns.name("position")))") }
        return "CREATE TEMP VIEW \(SQLName.inQuotes(names.name("\(entity.name)_\(property.name)"))) AS SELECT "
            + "\(list.joined(separator: ", ")) FROM main.\(SQLName.inQuotes(table)) WHERE \(SQLName.inQuotes(owner)) IS NOT NULL;\n"
    }
}
