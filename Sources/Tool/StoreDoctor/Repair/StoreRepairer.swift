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
    }

    /// The maximum number of rounds: a repair may lead to another finding, such as a reference to a deleted object.
    private static let rounds = 12

    /// The rules of notes that are repaired.
    private static let silent: Set<RuleID> = [.maxInSubentity, .orderWithoutOwner]

    private let path: String
    private let original: String
    private let model: NSManagedObjectModel?
    private let options: Options

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
    /// - Throws: `StoreDoctor.Failure` if the file is not a store or is damaged, or if a repair would lead to a new error.
    package func run(_ report: (StoreChange) -> Void) throws(StoreDoctor.Failure) -> Result {
        do {
            let database = try DoctorDatabase(changing: path)
            // The copy is in a folder of its own, and is synchronized at the end.
            try database.execute("PRAGMA synchronous = OFF; BEGIN IMMEDIATE")
            try RepairFunctions.register(on: database)
            let before = try findings(database, all: true)
            try Self.requireRepairable(before, model: model, options)
            var result = Result()
            let changes = try repair(database, &result)
            let last = try examination(database)
            let after = try findings(database, all: true)
            try Self.requireNoNewErrors(after, since: before)
            result.changeCount = changes.schema.count
            for change in changes.schema { report(change) }
            try changes.log.forEach(last) { change in
                result.changeCount += 1
                report(change)
            }
            try changes.log.end(tableCount: changes.tables.count)
            try database.execute("COMMIT")
            try database.checkpoint()
            result.remaining = after.filter { $0.severity > .note }
            result.missingModel = last.missingModel
            return result
        } catch {
            throw StoreDoctor.changeFailure(error)
        }
    }

    private func examination(
        _ database: DoctorDatabase, all: Bool = false
    ) throws(DoctorDatabase.Failure) -> StoreExamination {
        var doctor = StoreDoctor.Options()
        doctor.includesNotes = true
        doctor.maxExamples = 0
        if !all {
            // Pages were checked at the beginning, and are again at the end.
            doctor.except = options.except.union([.damagedPage, .sparsePages, .historyBloat, .unownedRow])
            doctor.only = options.only
        }
        return try StoreExamination(
            database: database, file: StoreFileStatus(path: path),
            external: ExternalFileList(path: StoreLayout.externalFolder(ofStoreAt: original)), options: doctor,
            model: model)
    }

    private func findings(
        _ database: DoctorDatabase, all: Bool = false
    ) throws -> [StoreFinding] {
        let examination = try examination(database, all: all)
        try examination.run()
        return examination.findings
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

    private static func requireNoNewErrors(
        _ findings: [StoreFinding], since before: [StoreFinding]
    ) throws(StoreDoctor.Failure) {
        func name(_ finding: StoreFinding) -> String {
            "\(finding.rule.rawValue) \(finding.entity ?? "") \(finding.property ?? "")"
        }
        let known = Set(before.map(name))
        guard let new = findings.first(where: { $0.severity == .error && !known.contains(name($0)) }) else { return }
        throw StoreDoctor.Failure(
            kind: .unchangeable, message: "the repairs would lead to another error: \(new.message)")
    }

    // MARK: Rounds

    private struct Changes {
        var schema: [StoreChange] = []
        var log: ChangeLog
        var tables: [StoreExamination.Table]
    }

    private func repair(
        _ database: DoctorDatabase, _ result: inout Result
    ) throws -> Changes {
        var done: Set<[String]> = []
        var schema: [StoreChange] = []
        // Tables and columns first: triggers that record changes need them.
        let first = try examination(database)
        try first.run()
        for repair in try repairs(first, &result) where repair.phase == .tables {
            if try run(repair, database, &done) { schema.append(Self.change(repair)) }
        }
        let complete = try examination(database)
        let tables = complete.tables.values.filter { table in
            ["z_primarykey", "z_metadata", "z_modelcache", "achange", "atransaction"].contains(SQLName.key(table.name))
                || complete.layout?.tables.contains { SQLName.key($0.name) == SQLName.key(table.name) } ?? false
        }.sorted { $0.name < $1.name }
        var changes = Changes(schema: schema, log: try ChangeLog(database, tables: tables), tables: tables)
        for _ in 0..<Self.rounds {
            let examination = try examination(database)
            try examination.run()
            result.unsafeCount = 0
            result.mirroredCount = 0
            var isChanged = false
            for repair in try repairs(examination, &result) where repair.phase != .tables {
                try changes.log.begin(repair.rule)
                guard try run(repair, database, &done) else { continue }
                isChanged = true
                if repair.isSchema { changes.schema.append(Self.change(repair)) }
            }
            try changes.log.begin(nil)
            if !isChanged { break }
        }
        try changes.log.raiseVersions(tables)
        return changes
    }

    /// Returns the wanted repairs of the findings, in their order.
    private func repairs(
        _ examination: StoreExamination, _ result: inout Result
    ) throws(DoctorDatabase.Failure) -> [StoreRepair] {
        var isMirrored = false
        if !options.includesMirrored, examination.table("ANSCKRECORDMETADATA") != nil {
            isMirrored = try examination.database.integer("SELECT 1 FROM ANSCKRECORDMETADATA LIMIT 1") != nil
        }
        var repairs: [StoreRepair] = []
        for finding in examination.findings where finding.severity > .note || Self.silent.contains(finding.rule) {
            guard let repair = try examination.repair(of: finding) else { continue }
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

    /// Runs a repair; returns whether it has changed anything. One that a constraint of the store forbids changes nothing.
    private func run(
        _ repair: StoreRepair, _ database: DoctorDatabase, _ done: inout Set<[String]>
    ) throws(DoctorDatabase.Failure) -> Bool {
        if repair.isSchema, !done.insert(repair.statements).inserted { return false }
        let before = database.changeCount
        try database.execute("SAVEPOINT modelc_repair")
        do throws(DoctorDatabase.Failure) {
            for statement in repair.statements { try database.execute(statement) }
        } catch {
            guard error.isConstraint else { throw error }
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
