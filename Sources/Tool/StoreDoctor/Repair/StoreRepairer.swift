package import CoreData
package import Diagnostics
internal import Foundation
internal import StoreFile

/// Repairs a copy of a store.
package struct StoreRepairer {
    /// What to repair.
    package struct Options: Sendable {
        /// The rules whose findings are repaired; empty for all.
        package var only: Set<RuleID> = []
        /// The rules whose findings are left.
        package var except: Set<RuleID> = []
        /// Whether repairs that lose something are made.
        package var includesUnsafe = false
        /// Whether objects are deleted and references changed in a store that CloudKit mirrors.
        package var includesMirrored = false
        /// The object that stays of those with the same values.
        package var keptDuplicate = KeptDuplicate.newest
        /// The entities of whose equal objects one is kept.
        package var duplicates: [StoreDoctor.Duplicates] = []
        /// The entities whose objects without an owner are deleted.
        package var unowned: [String] = []

        /// Returns whether the findings of a rule are to be repaired.
        func selects(_ rule: RuleID) -> Bool {
            !except.contains(rule) && (only.isEmpty || only.contains(rule))
        }

        /// An object of several with the same values.
        package enum KeptDuplicate: String, CaseIterable, Sendable {
            /// The one with the largest key, which was inserted last.
            case newest
            /// The one with the smallest key.
            case oldest
        }

        /// Creates the default options.
        package init() {}
    }

    /// What was done.
    package struct Result: Sendable {
        /// The number of changes.
        package var changeCount = 0
        /// The number of findings that are left because only an unsafe repair is possible.
        package var unsafeCount = 0
        /// The number of findings that are left because CloudKit mirrors the store.
        package var mirroredCount = 0
        /// What the check of the repaired store finds.
        package var remaining: [StoreFinding] = []
        /// The reason why the findings that need the model were not repaired; `nil` if they were.
        package var missingModel: String?
        /// The external files that are to be set aside: those that no row referred to before the repair, so that a
        /// backup of the store remains complete.
        package var orphans = OrphanedFiles()
    }

    /// The maximum number of rounds: a repair may lead to another finding.
    private static let rounds = 100

    /// The rules of warnings that no repair must lead to.
    private static let consistency: Set<RuleID> = [
        .requiredReferenceMissing, .ownerDangling, .joinDangling, .joinDuplicate, .oneToOneHalf,
    ]

    /// The rules whose findings mean nothing while it is unknown which number an entity has.
    private static let numbered: Set<RuleID> = [
        .unknownEntity, .abstractEntity, .wrongDestination, .entityColumn, .joinWrongEntity, .historyEntity,
    ]

    /// The rules of notes that are repaired.
    private static let silent: Set<RuleID> = [.maxInSubentity, .orderWithoutOwner, .unownedRow, .duplicateRows]

    private let path: String
    private let original: String
    private let model: NSManagedObjectModel?
    private let options: Options
    /// Called when the store is examined: in tests, to count.
    var willExamine: () -> Void = {}

    /// Creates the repair of a copy.
    ///
    /// - Parameters:
    ///   - path: The path of the copy, which nothing else uses.
    ///   - original: The path of the store, whose external files are looked at.
    ///   - model: The model; `nil` for the one in the store.
    package init(path: String, original: String, model: NSManagedObjectModel?, options: Options) {
        self.path = path
        self.original = original
        self.model = model
        self.options = options
    }

    /// Repairs the copy, in one transaction.
    ///
    /// - Parameter report: Called with each change, after all were made.
    /// - Throws: `StoreDoctor.Failure` if the file is not a store or is damaged, or if a repair would lead to a new
    ///   error.
    package func run(_ report: (StoreChange) -> Void) throws(StoreDoctor.Failure) -> Result {
        do {
            let database = try DoctorDatabase(changing: path)
            // The copy is in a folder of its own, and is synchronized at the end.
            try database.execute("PRAGMA synchronous = OFF; BEGIN IMMEDIATE")
            try RepairFunctions.register(on: database)
            let first = try examined(database, all: true)
            try StoreDoctor.requireStore(first)
            try Self.requireRepairable(first.findings, model: model, options)
            _ = try first.unownedRows(of: options.unowned)
            for request in options.duplicates { try first.require(request) }
            var result = Result()
            if options.selects(.externalFileOrphaned) { result.orphans = OrphanedFiles(first.orphanedFiles) }
            var baseline = Faults(first)
            let changes = try repair(database, from: first, baseline: &baseline, result: &result)
            let last = changes.isEmpty ? first : try examined(database, all: true)
            if let new = Faults(last).worse(than: baseline) {
                throw StoreDoctor.Failure(
                    kind: .unchangeable, message: "the repairs would lead to another fault: \(new.message)")
            }
            result.changeCount = changes.schema.count
            for change in changes.schema { report(change) }
            try changes.log.forEach(last) { change in
                result.changeCount += 1
                report(change)
            }
            for name in result.orphans.names {
                report(StoreChange(kind: .moved, rule: .externalFileOrphaned, object: name, old: .null, new: .null))
            }
            try changes.log.end(tableCount: changes.tables.count)
            try database.execute("COMMIT")
            try database.checkpoint()
            result.remaining = last.findings.filter { $0.severity > .note }
            result.missingModel = last.missingModel
            return result
        } catch {
            throw StoreDoctor.changeFailure(error)
        }
    }

    /// The options of the checks in between. Pages were checked at the beginning, and are again at the end.
    private var requested: StoreDoctor.Options {
        var doctor = StoreDoctor.Options()
        doctor.includesNotes = true
        doctor.maxExamples = 0
        doctor.except = options.except.union([
            .damagedPage, .sparsePages, .historyBloat, .unownedRow, .externalFileOrphaned,
        ])
        doctor.only = options.only
        doctor.keptDuplicate = options.keptDuplicate
        doctor.duplicates = options.duplicates
        if !doctor.only.isEmpty, !options.duplicates.isEmpty { doctor.only.insert(.duplicateRows) }
        guard !options.unowned.isEmpty else { return doctor }
        doctor.unowned = options.unowned
        doctor.except.remove(.unownedRow)
        if !doctor.only.isEmpty { doctor.only.insert(.unownedRow) }
        return doctor
    }

    private func examination(
        _ database: DoctorDatabase, all: Bool = false
    ) throws(DoctorDatabase.Failure) -> StoreExamination {
        var doctor = requested
        if all {
            (doctor.only, doctor.except) = ([], [])
        }
        return try StoreExamination(
            database: database, file: StoreFileStatus(path: path),
            external: ExternalFileList(ofStoreAt: original), options: doctor,
            model: model)
    }

    private func examined(_ database: DoctorDatabase, all: Bool = false) throws -> StoreExamination {
        willExamine()
        let examination = try examination(database, all: all)
        try examination.run()
        return examination
    }

    private static func requireRepairable(
        _ findings: [StoreFinding], model: NSManagedObjectModel?, _ options: Options
    ) throws(StoreDoctor.Failure) {
        if findings.contains(where: { $0.rule == .damagedPage }) {
            throw StoreDoctor.Failure(
                kind: .unchangeable, message: "the database is damaged; `modelc store recover` saves what can be read")
        }
        if model == nil, options.only != [.modelMismatch], findings.contains(where: { $0.rule == .modelMismatch }) {
            throw StoreDoctor.Failure(
                kind: .unchangeable,
                message:
                    "the model in the store is not the one that it was written with; specify the model with --model")
        }
    }

    /// The number of rows with faults that repairs must not lead to.
    private struct Faults {
        private var counts: [String: (count: Int, finding: StoreFinding)] = [:]

        init(_ examination: StoreExamination) {
            for finding in examination.findings
            where finding.severity == .error
                || finding.severity > .note && StoreRepairer.consistency.contains(finding.rule)
            {
                let name =
                    examination.pairName(of: finding)
                    ?? "\(finding.rule.rawValue) \(finding.entity ?? "") \(finding.property ?? "")"
                counts[name, default: (0, finding)].count += max(1, finding.rows.count)
            }
        }

        /// Also allows what was found later.
        mutating func allow(_ other: Faults) {
            counts.merge(other.counts) { $0.count >= $1.count ? $0 : $1 }
        }

        /// Returns a finding with more rows than before.
        func worse(than other: Faults) -> StoreFinding? {
            counts.first { $0.value.count > other.counts[$0.key]?.count ?? 0 }?.value.finding
        }
    }

    // MARK: Rounds

    private struct Changes {
        var schema: [StoreChange] = []
        var log: ChangeLog
        var tables: [StoreExamination.Table]
        /// Whether no repair has changed anything.
        var isEmpty: Bool
    }

    /// Performs all repairs.
    ///
    /// - Parameters:
    ///   - first: The store as it is.
    ///   - baseline: The faults that may be there at the end, to which those are added that are only found after others
    ///     were repaired.
    private func repair(
        _ database: DoctorDatabase, from first: StoreExamination, baseline: inout Faults, result: inout Result
    ) throws -> Changes {
        var done: Set<[String]> = []
        var schema: [StoreChange] = []
        var created: Set<TableOrColumn> = []
        // Tables and columns first: triggers that record changes need them.
        for repair in try repairs(of: first, created: created, result: &result) where repair.phase == .tables {
            guard try run(repair, on: database, done: &done) else { continue }
            schema.append(Self.change(repair))
            created.formUnion(repair.created)
        }
        let complete = schema.isEmpty ? first : try examination(database)
        let tables = complete.tables.values.filter { table in
            ["z_primarykey", "z_metadata", "z_modelcache", "achange", "atransaction"].contains(SQLName.key(table.name))
                || complete.layout?.tables.contains { SQLName.key($0.name) == SQLName.key(table.name) } ?? false
        }.sorted { $0.name < $1.name }
        var changes = Changes(
            schema: schema,
            log: try ChangeLog(database, tables: tables, kept: RepairHistory(complete)?.keptColumns ?? [:]),
            tables: tables, isEmpty: schema.isEmpty)
        // Examinations are expensive: what was found is used for as long as nothing has changed.
        var known = schema.isEmpty ? first : nil
        var hasRevealed = !schema.isEmpty
        var rounds = 0
        while true {
            rounds += 1
            guard rounds <= Self.rounds else {
                throw StoreDoctor.Failure(
                    kind: .unchangeable,
                    message: "each repair leads to another fault; repair rules one by one with --only")
            }
            let examination = try known ?? examined(database)
            known = nil
            result.unsafeCount = 0
            result.mirroredCount = 0
            let repairs = try repairs(of: examination, created: created, result: &result).filter {
                $0.phase != .tables
            }
            if try run(repairs.filter(\.reveals), of: examination, changes: &changes, done: &done) {
                (hasRevealed, changes.isEmpty) = (true, false)
                continue
            }
            if hasRevealed {
                baseline.allow(Faults(try examined(database, all: true)))
                hasRevealed = false
            }
            guard try run(repairs.filter { !$0.reveals }, of: examination, changes: &changes, done: &done) else {
                break
            }
            changes.isEmpty = false
        }
        try changes.log.raiseVersions(tables)
        if !changes.isEmpty { try RepairHistory(try examination(database))?.record() }
        return changes
    }

    /// Runs repairs, and those of what refers to objects that they delete; returns whether anything has changed.
    private func run(
        _ repairs: [StoreRepair], of examination: StoreExamination, changes: inout Changes,
        done: inout Set<[String]>
    ) throws -> Bool {
        let database = examination.database
        var isChanged = false
        var deletion = try changes.log.lastDeletion()
        for repair in repairs {
            try changes.log.begin(repair.rule)
            guard try run(repair, on: database, done: &done) else { continue }
            isChanged = true
            if repair.isSchema { changes.schema.append(Self.change(repair)) }
        }
        while case let last = try changes.log.lastDeletion(), last > deletion {
            for repair in examination.consequences(after: deletion) {
                try changes.log.begin(repair.rule)
                _ = try run(repair, on: database, done: &done)
            }
            deletion = last
        }
        try changes.log.begin(nil)
        return isChanged
    }

    /// Returns the requested repairs of the findings, in their order.
    ///
    /// - Parameter created: The tables and columns that this run has created: what they lack says nothing about
    ///   objects.
    private func repairs(
        of examination: StoreExamination, created: Set<TableOrColumn>, result: inout Result
    ) throws(DoctorDatabase.Failure) -> [StoreRepair] {
        let isMirrored = options.includesMirrored ? false : try CloudKitMirror.exists(in: examination.database)
        let knowsNumbers = examination.knowsEntityNumbers
        var repairs: [StoreRepair] = []
        let requested = requested
        for finding in examination.findings where requested.includes(finding.rule) {
            guard finding.severity > .note || Self.silent.contains(finding.rule),
                knowsNumbers || !Self.numbered.contains(finding.rule),
                let repair = try examination.repair(of: finding), repair.deletes?.isDisjoint(with: created) ?? true
            else { continue }
            if repair.safety == .unsafe, !options.includesUnsafe {
                result.unsafeCount += 1
            } else if repair.isMirrored, isMirrored {
                result.mirroredCount += 1
            } else {
                repairs.append(repair)
            }
        }
        return repairs.enumerated().sorted { ($0.element.phase, $0.offset) < ($1.element.phase, $1.offset) }
            .map(\.element)
    }

    /// Runs a repair; returns whether it has changed anything. One that SQLite rejects, such as by a constraint of the
    /// store, changes nothing, and its finding is left.
    private func run(
        _ repair: StoreRepair, on database: DoctorDatabase, done: inout Set<[String]>
    ) throws(DoctorDatabase.Failure) -> Bool {
        if repair.isSchema, !done.insert(repair.statements).inserted { return false }
        let before = database.changeCount
        try database.execute("SAVEPOINT modelc_repair")
        do throws(DoctorDatabase.Failure) {
            for statement in repair.statements { try database.execute(statement) }
        } catch {
            guard error.isOfStatement else { throw error }
            try database.execute("ROLLBACK TO modelc_repair; RELEASE modelc_repair")
            return false
        }
        try database.execute("RELEASE modelc_repair")
        return repair.isSchema || database.changeCount > before
    }

    private static func change(_ repair: StoreRepair) -> StoreChange {
        StoreChange(
            kind: .schema, rule: repair.rule, object: repair.statements.joined(separator: "; "), old: .null, new: .null)
    }
}
