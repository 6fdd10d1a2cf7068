internal import CoreData
internal import Diagnostics
internal import Foundation
internal import StoreFile

/// The files of external values.
extension StoreExamination {
    func checkExternalFiles(_ layout: StoreLayout) throws(DoctorDatabase.Failure) {
        guard options.includes(.externalFileMissing) || options.includes(.externalFileOrphaned) else { return }
        var hasReferences = false
        var total: Int64 = 0
        for entity in layout.entities {
            for property in entity.properties where property.isDeclared {
                guard case .attribute(let attribute) = property.position, attribute.isExternal else { continue }
                guard has(entity.table, "Z_PK", "Z_ENT", attribute.column) else { continue }
                let value = "t.\(SQLName.inQuotes(attribute.column))"
                let scope = entity.sharesTable ? "\(SQLName.isIn("t.Z_ENT", entity.numbers)) AND " : ""
                let sql =
                    "SELECT t.Z_PK, t.Z_ENT, CAST(substr(\(value), 2, 36) AS TEXT) FROM \(SQLName.inQuotes(entity.table)) AS t "
                    + "WHERE \(scope)typeof(\(value)) = 'blob' AND \(ExternalName.isReference(value))"
                var count: Int64 = 0
                var examples: [String] = []
                try database.forEach(sql) { row in
                    hasReferences = true
                    let name = row.text(2)
                    guard !self.external.exists || !self.external.has(name) else { return }
                    count += 1
                    guard examples.count < options.maxExamples else { return }
                    examples.append(
                        uri(row.integer(0) ?? 0, entity: entityName(row.integer(1), in: entity.table) ?? entity.name))
                }
                total += count
                guard count > 0, external.exists else { continue }
                record(
                    StoreFinding(
                        .externalFileMissing, entity: entity.name, property: property.name,
                        "\(counted(count, "file")) of “\(entity.name).\(property.name)” "
                            + "\(count == 1 ? "is" : "are") missing",
                        rows: AffectedRows(
                            table: entity.table, column: attribute.column, count: Int(clamping: count),
                            examples: examples)))
            }
        }
        if !external.exists, hasReferences {
            record(
                StoreFinding(
                    .externalFileMissing,
                    "the folder “\(folderName)” with \(counted(total, "external value")) "
                        + (external.isUnreadable ? "cannot be read" : "is missing"),
                    rows: AffectedRows(count: Int(clamping: total))))
        }
        try checkOrphanedFiles()
    }

    private var folderName: String { external.path.split(separator: "/").suffix(2).joined(separator: "/") }

    private func checkOrphanedFiles() throws(DoctorDatabase.Failure) {
        guard options.includes(.externalFileOrphaned) else { return }
        guard let orphans = try external.orphans(in: database, now: options.now)?.sorted() else {
            record(
                StoreFinding(
                    .externalFileOrphaned,
                    "it is not known to which files in “\(folderName)” no row refers, because a store beside this one, "
                        + "which shares the folder, cannot be read"))
            return
        }
        guard !orphans.isEmpty else { return }
        orphanedFiles = Set(orphans)
        record(
            StoreFinding(
                .externalFileOrphaned,
                "no row refers to \(counted(orphans.count, "file")) in “\(folderName)”",
                rows: AffectedRows(count: orphans.count, examples: Array(orphans.prefix(options.maxExamples)))))
    }
}
