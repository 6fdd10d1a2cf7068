internal import CoreData
internal import Diagnostics
internal import Foundation

/// The store's description of itself: `Z_METADATA` and `Z_PRIMARYKEY`.
extension StoreExamination {
    /// A row for each hierarchy: the number of the root entity, its name and its table.
    private var roots: [(row: EntityRow, table: String)] {
        entityRows.compactMap { row in
            guard row.number < 16000 else { return nil }
            if let layout {
                guard let entity = Int(exactly: row.number).flatMap({ layout.entity(number: $0) }), entity.isRoot,
                    has(entity.table, "Z_PK")
                else { return nil }
                return (row, entity.table)
            }
            guard row.parent ?? 0 == 0, let table = table("Z" + row.name.uppercased()),
                table.has("Z_PK")
            else { return nil }
            return (row, table.name)
        }
    }

    func checkDescription() {
        switch metadata.rowCount {
        case nil: record(StoreFinding(.metadataMissing, "the table Z_METADATA is missing"))
        case 1? where metadata.hasList:
            if let damage = metadata.damage {
                record(StoreFinding(.metadataUnreadable, "the metadata cannot be read: \(damage)"))
            }
        case 1?: record(StoreFinding(.metadataMissing, "Z_METADATA has no property list"))
        case let count?:
            record(
                StoreFinding(
                    .metadataMissing,
                    count == 0 ? "the table Z_METADATA is empty" : "the table Z_METADATA has several rows"))
        }
        let uuid = metadata.uuid
        if metadata.rowCount == 1, UUID(uuidString: uuid)?.uuidString != uuid {
            record(
                StoreFinding(
                    .uuidInvalid,
                    uuid.isEmpty
                        ? "the store has no identifier" : "the identifier “\(uuid)” is not a UUID in upper case"
                ))
        }
    }

    func checkEntityRows() throws(DoctorDatabase.Failure) {
        guard hasEntityRows else {
            record(
                StoreFinding(
                    .tableMissing, "the store lacks the table Z_PRIMARYKEY, or a column of it",
                    rows: AffectedRows(table: "Z_PRIMARYKEY")))
            return
        }
        if let layout { checkEntityRows(layout) }
        try checkLargestKeys()
    }

    private func checkEntityRows(_ layout: StoreLayout) {
        let rows = entityRows.filter { $0.number < 16000 }
        var known: Set<Int64> = []
        for entity in layout.entities {
            guard let row = rows.first(where: { $0.number == Int64(entity.number) && names(entity, $0.name) }) else {
                record(
                    StoreFinding(
                        .entityRowMissing, entity: entity.name, "“\(entity.name)” has no row in Z_PRIMARYKEY",
                        rows: AffectedRows(table: "Z_PRIMARYKEY")))
                continue
            }
            known.insert(row.number)
            if row.parent ?? 0 != Int64(entity.parentNumber) {
                record(
                    StoreFinding(
                        .entityParent, entity: entity.name,
                        "Z_PRIMARYKEY has \(row.parent.map(String.init) ?? "NULL") as the parent of “\(entity.name)”, "
                            + "not \(entity.parentNumber)",
                        rows: AffectedRows(table: "Z_PRIMARYKEY", column: "Z_SUPER", count: 1)))
            }
            if !entity.isRoot, let max = row.max, max != 0 {
                record(
                    StoreFinding(
                        .maxInSubentity, entity: entity.name, "the row of the subentity “\(entity.name)” counts keys",
                        rows: AffectedRows(table: "Z_PRIMARYKEY", column: "Z_MAX", count: 1)))
            }
        }
        for row in rows where !known.contains(row.number) {
            // Of two rows with the name of an entity, only one can have its number.
            let isSecond =
                rows.contains { $0.number != row.number && $0.name == row.name }
                && layout.entities.contains { names($0, row.name) }
            record(
                StoreFinding(
                    .entityRowExtra,
                    isSecond
                        ? "Z_PRIMARYKEY has a second row for “\(row.name)”"
                        : "Z_PRIMARYKEY has a row for “\(row.name)”, which the model does not have",
                    rows: AffectedRows(table: "Z_PRIMARYKEY", count: 1, examples: ["Z_ENT = \(row.number)"]),
                    severity: isSecond ? .error : nil))
        }
    }

    /// Returns whether a row of `Z_PRIMARYKEY` has the name of an entity.
    func names(_ entity: StoreLayout.Entity, _ name: String) -> Bool {
        name == entity.name || name == entity.renamingIdentifier
    }

    private func checkLargestKeys() throws(DoctorDatabase.Failure) {
        guard options.includes(.maxBehind) || options.includes(.historyMax) || options.includes(.missingLog) else {
            return
        }
        var behind = 0
        for (row, table) in roots {
            guard let largest = try database.integer("SELECT max(Z_PK) FROM \(SQLName.inQuotes(table))"),
                largest > row.max ?? 0
            else { continue }
            behind += 1
            guard layout != nil else { continue }
            record(
                StoreFinding(
                    .maxBehind, entity: row.name,
                    "the last key of “\(row.name)” is \(row.shownMax), but \(largest) is in use",
                    rows: AffectedRows(
                        table: "Z_PRIMARYKEY", column: "Z_MAX", count: 1,
                        examples: [uri(largest, entity: row.name)])))
        }
        behind += try checkHistoryKeys()
        if behind >= 2, file.usesLog, !file.hasLog {
            record(
                StoreFinding(
                    .missingLog, "there is no log beside the store, and \(behind) last keys are behind the rows",
                    rows: AffectedRows(table: "Z_PRIMARYKEY", count: behind)))
        }
    }

    /// Checks the last keys of the history tables.
    ///
    /// - Returns: The number of those that are behind.
    private func checkHistoryKeys() throws(DoctorDatabase.Failure) -> Int {
        var behind = 0
        for (number, table) in StoreLayout.historyTables {
            guard has(table, "Z_PK"), let row = entityRows.first(where: { $0.number == Int64(number) }),
                let largest = try database.integer("SELECT max(Z_PK) FROM \(table)"), largest > row.max ?? 0
            else { continue }
            behind += 1
            record(
                StoreFinding(
                    .historyMax, "the last key of \(table) is \(row.shownMax), but \(largest) is in use",
                    rows: AffectedRows(table: table, column: "Z_PK", count: 1)))
        }
        return behind
    }
}
