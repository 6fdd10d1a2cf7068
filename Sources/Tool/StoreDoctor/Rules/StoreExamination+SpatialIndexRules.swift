internal import CoreData
internal import Diagnostics
internal import StoreFile

/// R-tree indexes, `Z_RT_<Entity>_<index>`.
extension StoreExamination {
    func checkSpatialIndexes() throws(DoctorDatabase.Failure) {
        guard options.includes(.rtreeDrift),
            try database.integer("SELECT count(*) FROM pragma_module_list WHERE name = 'rtree'") == 1
        else { return }
        var names: [String] = []
        try database.forEach(
            """
            SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z\\_RT\\_%' ESCAPE '\\' \
            AND sql LIKE 'CREATE VIRTUAL TABLE%' ORDER BY name
            """
        ) { names.append($0.text(0)) }
        for name in names {
            if try database.integer("SELECT count(*) FROM pragma_function_list WHERE name = 'rtreecheck'") ?? 0 > 0,
                let message = try database.text("SELECT rtreecheck('main', \(SQLName.literal(name)))"), message != "ok"
            {
                let first = message.split(separator: "\n").first.map(String.init) ?? message
                record(
                    StoreFinding(
                        .rtreeDrift, "the spatial index \(name) is damaged: \(first)", rows: AffectedRows(table: name)))
                continue
            }
            guard let table = table(ofIndex: name), has(name, "Z_PK"), has(table, "Z_PK") else { continue }
            try FaultQuery(
                rule: .rtreeDrift, table: name, column: "Z_PK",
                sql: "SELECT r.Z_PK FROM \(SQLName.inQuotes(name)) AS r "
                    + "WHERE NOT EXISTS (SELECT 1 FROM \(SQLName.inQuotes(table)) AS t WHERE t.Z_PK = r.Z_PK)",
                message: { "the spatial index \(name) has \($0 == 1 ? "an entry" : "\($0) entries") without a row" },
                example: { "Z_PK = \($0.integer(0) ?? 0)" }
            ).run(self)
        }
    }

    /// Returns the repair of an index: entries without a row are deleted, and a damaged index is made again of all
    /// rows, as Core Data's triggers make it.
    func spatialRepair(_ finding: StoreFinding) throws(DoctorDatabase.Failure) -> StoreRepair? {
        guard let name = finding.rows.table else { return nil }
        if let sql = finding.rows.sql {
            return StoreRepair(
                rule: finding.rule, safety: .safe, phase: .indexes,
                statements: ["DELETE FROM \(SQLName.inQuotes(name)) WHERE Z_PK IN (\(sql))"], isSchema: true)
        }
        guard let table = table(ofIndex: name), let columns = self.table(name)?.columns.map(\.name),
            columns.first == "Z_PK",
            let creation = try database.text(
                "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = \(SQLName.literal(name))"),
            let trigger = try database.text(
                "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = \(SQLName.literal(name + "_INSERT"))"),
            // A trigger with a condition inserts only some of the rows.
            !trigger.uppercased().split(whereSeparator: \.isWhitespace).contains("WHEN")
        else { return nil }
        // Each coordinate has two columns, which are named after the one of the table.
        let values = columns.dropFirst().map { column in
            ["_MIN", "_MAX"].first(where: column.hasSuffix).map { String(column.dropLast($0.count)) } ?? ""
        }
        guard values.allSatisfy({ has(table, $0) }) else { return nil }
        return StoreRepair(
            rule: finding.rule, safety: .safe, phase: .indexes,
            statements: [
                "DROP TABLE \(SQLName.inQuotes(name))", creation,
                "INSERT INTO \(SQLName.inQuotes(name)) SELECT Z_PK, \(values.map(SQLName.inQuotes).joined(separator: ", ")) "
                    + "FROM \(SQLName.inQuotes(table))",
            ], isSchema: true)
    }

    /// Returns the table that an index is of: that of the longest entity name in its name.
    private func table(ofIndex name: String) -> String? {
        let rest = name.dropFirst("Z_RT_".count)
        let row = entityRows.filter { rest.hasPrefix($0.name + "_") }.max { $0.name.count < $1.name.count }
        guard var row else { return nil }
        var steps = 0
        while let parent = entityRows.first(where: { $0.number == row.parent ?? 0 }), steps < entityRows.count {
            row = parent
            steps += 1
        }
        if let entity = Int(exactly: row.number).flatMap({ layout?.entity(number: $0) }) { return entity.table }
        return table("Z" + row.name.uppercased())?.name
    }
}
