internal import CoreData
internal import Diagnostics

struct StoreRepair {
    /// The steps of a repair, in their order.
    enum Phase: Int, Comparable {
        // Those up to `rows` come before all others.
        case tables, description, rows
        // Before references are removed, which would leave other objects without an owner.
        case owners
        case references, joins, positions, values, indexes, derived, history, model

        static func < (first: Phase, second: Phase) -> Bool { first.rawValue < second.rawValue }
    }

    var rule: RuleID
    var safety: FixIt.Safety
    var phase: Phase
    var statements: [String]
    /// Whether objects are deleted, or references changed: a store that CloudKit mirrors sends this to all devices.
    var isMirrored = false
    /// Whether the statements change the schema rather than rows.
    var isSchema = false
    /// The tables and columns that are created.
    var created: Set<TableOrColumn> = []
    /// The tables and columns by which objects are chosen for deletion; `nil` if none are deleted.
    var deletes: Set<TableOrColumn>?

    /// Whether the repair only makes the checks see more, such as a row with an unknown entity: what is found then was
    /// there before.
    var reveals: Bool { phase <= .rows && deletes == nil }
}

/// A table, or a column of one.
struct TableOrColumn: Hashable {
    private let table: String
    private let column: String?

    init(_ table: String, _ column: String? = nil) {
        self.table = SQLName.key(table)
        self.column = column.map(SQLName.key)
    }
}

extension StoreExamination {
    /// Adds to each finding how it can be repaired.
    func addRepairs() throws(DoctorDatabase.Failure) {
        try RepairFunctions.register(on: database)
        let isMirrored = try CloudKitMirror.exists(in: database)
        for index in findings.indices {
            if findings[index].rule == .externalFileOrphaned, !orphanedFiles.isEmpty {
                findings[index].rows.repair = .safe
            }
            guard let repair = try repair(of: findings[index]) else { continue }
            let changesAllDevices = isMirrored && repair.isMirrored
            findings[index].rows.repair = changesAllDevices ? .unsafe : repair.safety
            findings[index].repairOptions =
                (repair.safety == .unsafe ? ["--unsafe-fixes"] : []) + (changesAllDevices ? ["--mirrored"] : [])
                + duplicateOptions(findings[index])
        }
    }

    /// Returns the repair of a finding; `nil` if there is none.
    func repair(of finding: StoreFinding) throws(DoctorDatabase.Failure) -> StoreRepair? {
        switch finding.rule {
        case .metadataMissing, .metadataUnreadable, .modelMismatch, .modelCacheUnreadable, .uuidInvalid, .historyOrphan,
            .historyEntity, .historyString,
            .historyMax, .maxBehind, .entityParent, .maxInSubentity, .entityRowMissing:
            return try descriptionRepair(finding)
        case .tableMissing, .columnMissing, .indexMissing, .uniqueIndexMissing, .derivedTriggerMissing:
            return try layout.flatMap { layout throws(DoctorDatabase.Failure) in try schemaRepair(finding, layout) }
        case .unknownEntity, .abstractEntity, .versionInvalid, .requiredReferenceMissing, .danglingReference,
            .wrongDestination, .entityColumn, .oneToOneHalf, .oneToOneConflict, .twoOwners:
            return try layout.flatMap { layout throws(DoctorDatabase.Failure) in try referenceRepair(finding, layout) }
        case .joinDangling, .joinWrongEntity, .joinDuplicate, .ownerDangling, .orderMissing, .orderDuplicate,
            .orderWithoutOwner:
            return layout.flatMap { memberRepair(finding, $0) }
        case .rtreeDrift: return try spatialRepair(finding)
        case .uniqueViolated, .duplicateRows: return layout.flatMap { duplicateRepair(finding, $0) }
        case .unownedRow:
            return try layout.flatMap { layout throws(DoctorDatabase.Failure) in try ownerRepair(finding, layout) }
        case .requiredValueMissing, .storageClass, .booleanRange, .uuidLength, .textEncoding, .externalMark,
            .externalFileMissing, .derivedDrift:
            return try layout.flatMap { layout throws(DoctorDatabase.Failure) in try valueRepair(finding, layout) }
        default: return nil
        }
    }

    /// Returns the condition that a row of a table is one of a finding's rows.
    func isAffected(_ finding: StoreFinding) -> String? {
        finding.rows.sql.map { "Z_PK IN (\($0))" }
    }
}
