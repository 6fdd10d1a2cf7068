internal import CoreData
internal import Diagnostics
internal import Foundation

/// Repairs of the store's description of itself, and of its history.
extension StoreExamination {
    func descriptionRepair(_ finding: StoreFinding) throws(DoctorDatabase.Failure) -> StoreRepair? {
        func repair(
            _ statement: String, _ safety: FixIt.Safety = .safe, phase: StoreRepair.Phase = .description
        ) -> StoreRepair {
            StoreRepair(
                rule: finding.rule, safety: safety, phase: phase, statements: [statement],
                isMirrored: [.historyOrphan, .historyEntity].contains(finding.rule))
        }
        switch finding.rule {
        case .metadataMissing, .metadataUnreadable: return metadataRepair(finding)
        case .modelCacheUnreadable where isModelGiven && isGivenModelStored:
            guard let content = model.flatMap(StoreDescription.modelCache) else { return nil }
            return StoreRepair(
                rule: finding.rule, safety: .safe, phase: .model,
                statements: [
                    "DELETE FROM Z_MODELCACHE", "INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES (\(SQL.literal(content)))",
                ])
        case .modelMismatch, .modelCacheUnreadable:
            // The framework then looks for the model in bundles.
            return repair("DELETE FROM Z_MODELCACHE", .unsafe, phase: .model)
        case .uuidInvalid:
            let uuid = UUID(uuidString: metadata.uuid) ?? UUID()
            return repair("UPDATE Z_METADATA SET Z_UUID = \(SQLName.literal(uuid.uuidString))", .unsafe)
        case .historyOrphan, .historyEntity:
            return isAffected(finding).map { repair("DELETE FROM ACHANGE WHERE \($0)", phase: .history) }
        case .historyString:
            guard let column = finding.rows.column, let condition = isAffected(finding) else { return nil }
            return repair(
                "UPDATE ATRANSACTION SET \(SQLName.inQuotes(column)) = NULL WHERE \(condition)", phase: .history)
        case .historyMax:
            guard let table = finding.rows.table,
                let number = StoreLayout.historyTables.first(where: { $0.table == table })?.number
            else { return nil }
            return repair(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT max(Z_PK) FROM \(table)) WHERE Z_ENT = \(number) "
                    + "AND \(Self.lastKey) < (SELECT max(Z_PK) FROM \(table))")
        default: break
        }
        guard let layout, let name = finding.entity else { return nil }
        if finding.rule == .maxBehind {
            return try maxRepair(finding, entityNamed: name, layout)
        }
        guard let entity = layout.entity(named: name) else { return nil }
        switch finding.rule {
        case .entityParent:
            return repair("UPDATE Z_PRIMARYKEY SET Z_SUPER = \(entity.parentNumber) WHERE Z_ENT = \(entity.number)")
        case .maxInSubentity:
            return repair("UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_ENT = \(entity.number)")
        case .entityRowMissing:
            return try isNumberKnown(of: entity, layout)
                ? repair(
                    "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (\(entity.number), "
                        + "\(SQLName.literal(entity.name)), \(entity.parentNumber), "
                        + (entity.isRoot ? "\(lastKey(of: entity)))" : "0)"))
                : nil
        default: return nil
        }
    }

    /// Whether the metadata have the hashes of the model that was given.
    private var isGivenModelStored: Bool {
        guard let hashes = metadata.hashes, let model else { return false }
        return hashes == model.entityVersionHashesByName.mapValues { [UInt8]($0) }
    }

    /// Returns the repair of metadata that are lost: those of a new store of the model. What else an app has kept there
    /// is lost.
    private func metadataRepair(_ finding: StoreFinding) -> StoreRepair? {
        guard let model, let layout else { return nil }
        func repair(_ statements: [String], phase: StoreRepair.Phase = .description) -> StoreRepair {
            StoreRepair(rule: finding.rule, safety: .unsafe, phase: phase, statements: statements)
        }
        guard let count = metadata.rowCount else {
            // The row is the repair of what is found then.
            var table = repair([StoreDescription.metadataTable], phase: .tables)
            table.isSchema = true
            return has("Z_METADATA") ? nil : table
        }
        // One row of several can be enough.
        let only = "rowid = \(metadata.rowID)"
        if count > 1, metadata.hashes != nil {
            return repair(["DELETE FROM Z_METADATA WHERE NOT \(only)", "UPDATE Z_METADATA SET Z_VERSION = 1"])
        }
        // The hashes of a model that the rows do not have would be wrong: another version has other tables and columns.
        let isExplained = !findings.contains { [.unknownTable, .unknownColumn].contains($0.rule) }
        guard isComplete(layout), isExplained, let list = StoreDescription.metadata(of: model) else { return nil }
        guard count == 0 else {
            return repair([
                "DELETE FROM Z_METADATA WHERE NOT \(only)",
                "UPDATE Z_METADATA SET Z_VERSION = 1, Z_PLIST = \(SQL.literal(list))",
            ])
        }
        return repair([
            "INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) "
                + "VALUES (1, \(SQLName.literal(UUID().uuidString)), \(SQL.literal(list)))"
        ])
    }

    /// Returns the repair of a last key that is behind: raised above all keys that are or were in use, and never
    /// lowered.
    private func maxRepair(
        _ finding: StoreFinding, entityNamed name: String, _ layout: StoreLayout
    ) throws(DoctorDatabase.Failure) -> StoreRepair? {
        guard let row = entityRows.first(where: { $0.name == name && $0.number < 16000 }),
            let entity = Int(exactly: row.number).flatMap({ layout.entity(number: $0) })
        else { return nil }
        return StoreRepair(
            rule: finding.rule, safety: .safe, phase: .description,
            statements: [
                "UPDATE Z_PRIMARYKEY SET Z_MAX = max(\(Self.lastKey), \(lastKey(of: entity))) WHERE Z_ENT = \(row.number)"
            ])
    }

    /// Returns the largest key that is or was in use in a hierarchy, as an expression.
    private func lastKey(of entity: StoreLayout.Entity) -> String {
        let largest = "ifnull((SELECT max(Z_PK) FROM \(SQLName.inQuotes(entity.table))), 0)"
        guard has("ACHANGE", "ZENTITY", "ZENTITYPK") else { return largest }
        // Keys of deleted objects; an invalid number would use up all of them.
        return
            "max(\(largest), ifnull((SELECT max(ZENTITYPK) FROM ACHANGE WHERE \(SQLName.isIn("ZENTITY", entity.numbers)) "
            + "AND typeof(ZENTITYPK) = 'integer' AND ZENTITYPK < 4503599627370496), 0))"
    }

    /// Whether it is known which entity each number stands for.
    var knowsEntityNumbers: Bool {
        guard let layout else { return false }
        return layout.entities.allSatisfy { entity in
            entityRows.contains { $0.number == Int64(entity.number) && names(entity, $0.name) }
        }
    }

    /// Returns whether it is certain that an entity without a row had the number that the layout gives it.
    private func isNumberKnown(
        of entity: StoreLayout.Entity, _ layout: StoreLayout
    ) throws(DoctorDatabase.Failure) -> Bool {
        guard has(entity.table, "Z_PK", "Z_ENT"), entity.number < 16000,
            !entityRows.contains(where: { $0.number == Int64(entity.number) }),
            let root = layout.entity(number: entity.rootNumber)
        else { return false }
        let missing = layout.entities.filter { other in
            other.rootNumber == entity.rootNumber && !entityRows.contains { $0.number == Int64(other.number) }
        }
        let table = SQLName.inQuotes(entity.table)
        if try database.integer("SELECT 1 FROM \(table) LIMIT 1") == nil { return true }
        guard missing.count == 1 else { return false }
        return try database.integer(
            "SELECT 1 FROM \(table) WHERE Z_ENT IS NULL OR NOT (\(SQLName.isIn("Z_ENT", root.numbers))) LIMIT 1") == nil
    }
}
