package import CoreData
package import Diagnostics
internal import Foundation
internal import ModelLint
internal import StoreFile

/// Checks a store against its model.
///
/// The doctor reads one state of the store, and changes neither the file nor its folder.
package struct StoreDoctor {
    /// What to check.
    package struct Options: Sendable {
        /// Whether the file is checked less thoroughly: `quick_check` instead of `integrity_check`, no statistics of
        /// pages.
        package var isQuick = false
        /// Whether notes are reported.
        package var includesNotes = false
        /// The rules to check; empty for all.
        package var only: Set<RuleID> = []
        /// The rules that are not checked.
        package var except: Set<RuleID> = []
        /// The age in days from which history counts as old.
        package var historyDays = 30
        /// The maximum number of example rows of a finding.
        package var maxExamples = 5
        /// The entities in which equal objects are looked for.
        package var duplicates: [Duplicates] = []
        /// The object that repairs keep of those with the same values.
        var keptDuplicate = StoreRepairer.Options.KeptDuplicate.newest
        /// The entities whose objects without an owner repairs delete.
        var unowned: [String] = []
        /// The time, in seconds since 2001, for the age of history.
        package var now = Date().timeIntervalSinceReferenceDate

        /// Creates the default options.
        package init() {}

        func includes(_ rule: RuleID) -> Bool {
            guard !except.contains(rule) else { return false }
            guard only.isEmpty else { return only.contains(rule) }
            return includesNotes || [.oneToOneHalf, .duplicateRows, .entityRowExtra].contains(rule)
                || RuleRegistry.description(of: rule)?.defaultSeverity ?? .warning > .note
        }
    }

    /// An entity in which equal objects are looked for.
    package struct Duplicates: Sendable {
        /// The name of the entity.
        package var entity: String
        /// The properties that are compared; empty for all attributes and to-one relationships.
        package var properties: [String]

        /// Creates a request.
        package init(entity: String, properties: [String]) {
            self.entity = entity
            self.properties = properties
        }

        /// Creates the request of an argument, `Entity` or `Entity:property,property`.
        package init(_ argument: String) {
            let parts = argument.split(separator: ":", maxSplits: 1).map(String.init)
            entity = parts.first ?? ""
            properties = parts.count > 1 ? parts[1].split(separator: ",").map(String.init) : []
        }

        /// The argument that stands for the request.
        var text: String { entity + (properties.isEmpty ? "" : ":" + properties.joined(separator: ",")) }
    }

    /// The reason why a store cannot be checked.
    package struct Failure: Error {
        /// The kind of problem.
        package enum Kind: Sendable {
            /// There is no database of Core Data at the path.
            case notAStore
            /// Another process has locked the store.
            case locked
            /// Another process has changed the store each time that it was read.
            case changing
            /// A request names something that the model does not have.
            case unknownElement
            /// The model cannot be read.
            case noModel
            /// The store cannot be changed as requested. Nothing was changed.
            case unchangeable
            /// The store could not be changed any further. It is intact, and what was done stays.
            case interrupted
        }

        /// The kind of problem.
        package var kind: Kind
        /// The problem, in one sentence.
        package var message: String
    }

    /// What was found.
    package struct Result: Sendable {
        /// The findings, in the order of their rules.
        package var findings: [StoreFinding]
        /// What the store contains; `nil` if the file cannot be read.
        package var summary: StoreSummary?
        /// The reason why checks that need the model did not run; `nil` if they did.
        package var missingModel: String?

        /// Whether the file can be read only in part.
        package var isDamaged: Bool { findings.contains { [.damagedPage, .truncatedFile].contains($0.rule) } }
    }

    /// Returns whether a rule compares the store with its model.
    package static func needsModel(_ rule: RuleID) -> Bool { !rulesWithoutModel.contains(rule) }

    private static let rulesWithoutModel: Set<RuleID> = [
        .damagedPage, .truncatedFile, .hotJournal, .largeLog, .missingLog, .freePages, .sparsePages, .noAutoVacuum,
        .metadataMissing, .metadataUnreadable, .modelMismatch, .modelCacheUnreadable, .uuidInvalid,
        .rtreeDrift, .historyBloat, .historyOrphan, .historyEntity, .historyString, .historyMax, .historyTombstone,
        .historyPartial,
    ]

    private let path: String
    private let options: Options
    private let model: NSManagedObjectModel?
    /// Called after each reading of the store: in tests, to change the store at this moment.
    var didRead: () -> Void = {}

    /// Creates a doctor for a store.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - model: The model; `nil` for the one in the store.
    package init(path: String, model: NSManagedObjectModel? = nil, options: Options = Options()) {
        self.path = path
        self.model = model
        self.options = options
    }

    /// Checks the store.
    ///
    /// - Throws: `Failure` if it is not a store, or locked. Damage is a finding.
    package func check() throws(Failure) -> Result {
        try readOneState { database, file throws(Failure) in
            var header: [StoreFinding] = []
            if options.includes(.truncatedFile), let finding = file.truncation { header.append(finding) }
            let examination: StoreExamination
            do throws(DoctorDatabase.Failure) {
                examination = try examine(try database.get(), file)
            } catch {
                // The header says that the file is a database, so what SQLite cannot read is damaged.
                guard error.isDamage || !header.isEmpty, !error.isBusy else { throw Self.failure(error) }
                if header.isEmpty {
                    header.append(StoreFinding(.damagedPage, "SQLite cannot read the file: \(error.message)"))
                }
                return Result(findings: header, summary: nil, missingModel: "the file cannot be read")
            }
            return try check(examination, header)
        }
    }

    private func check(_ examination: StoreExamination, _ header: [StoreFinding]) throws(Failure) -> Result {
        try Self.requireStore(examination)
        for request in options.duplicates { try examination.require(request) }
        examination.findings = header + examination.findings
        try examination.run()
        try examination.attempt { () throws(DoctorDatabase.Failure) in try examination.addRepairs() }
        let order = Dictionary(
            RuleRegistry.storeDescriptions.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        let findings = examination.findings.enumerated().filter { shown($0.element) }.sorted { first, second in
            let ranks = (order[first.element.rule] ?? 0, order[second.element.rule] ?? 0)
            return ranks.0 == ranks.1 ? first.offset < second.offset : ranks.0 < ranks.1
        }
        return Result(
            findings: findings.map(\.element), summary: try? StoreSummary(examination),
            missingModel: examination.missingModel)
    }

    /// Counts what the store contains, without checking it.
    ///
    /// - Throws: `Failure` if it is not a store, or if it cannot be read.
    package func summary() throws(Failure) -> StoreSummary {
        do {
            return try read { examination in
                var summary = try StoreSummary(examination)
                try summary.measure(examination)
                return summary
            }
        } catch let error as Failure {
            throw error
        } catch let error as DoctorDatabase.Failure {
            throw Self.failure(error)
        } catch {
            throw Failure(kind: .notAStore, message: "the file cannot be read: \(error)")
        }
    }

    /// Passes the database, or the reason why it cannot be opened, and what its header says to a closure: again if the
    /// file changes while it is read.
    private func readOneState<Value>(
        _ body: (Swift.Result<DoctorDatabase, DoctorDatabase.Failure>, StoreFileStatus) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        do {
            _ = try openFile()
            return try DoctorDatabase.readOneState(of: path, didRead: didRead) { database in
                try body(.success(database), openFile())
            }
        } catch let error as DoctorDatabase.Failure {
            return try body(.failure(error), openFile())
        } catch let error as Failure {
            throw error
        } catch {
            throw Failure(kind: .notAStore, message: "the file cannot be read: \(error)")
        }
    }

    /// Passes the store to a closure that reads more of it: again if the file changes meanwhile.
    ///
    /// - Parameter isOnce: Whether reading it again is to be avoided.
    /// - Throws: `Failure` if it is not a store, or if it changes again and again, `DoctorDatabase.Failure` if it
    ///   cannot be read, and any error of the closure.
    func read<Value>(isOnce: Bool = false, _ body: (StoreExamination) throws -> Value) throws -> Value {
        _ = try openFile()
        let access: DatabaseInspection.Access = isOnce ? .sharedLog : .unlocked
        return try DoctorDatabase.readOneState(of: path, access: access, didRead: didRead) { database in
            let examination = try examine(database, openFile())
            try Self.requireStore(examination)
            return try body(examination)
        }
    }

    static func requireStore(_ examination: StoreExamination) throws(Failure) {
        guard examination.isStore else {
            throw Failure(kind: .notAStore, message: "the database was not created by Core Data")
        }
    }

    private func openFile() throws(Failure) -> StoreFileStatus {
        let file = StoreFileStatus(path: path)
        guard file.isReadable else { throw Failure(kind: .notAStore, message: "the file cannot be read") }
        guard file.isDatabase else {
            throw Failure(kind: .notAStore, message: "the file is not a SQLite store of Core Data")
        }
        return file
    }

    private func examine(
        _ database: DoctorDatabase, _ file: StoreFileStatus
    ) throws(DoctorDatabase.Failure) -> StoreExamination {
        // The folder is listed before the snapshot begins.
        let external = ExternalFileList(ofStoreAt: path)
        try database.begin()
        return try StoreExamination(database: database, file: file, external: external, options: options, model: model)
    }

    /// Returns an error as the reason why a store or a copy of it cannot be changed.
    static func changeFailure(_ error: any Error) -> Failure {
        switch error {
        case let error as Failure: error
        case let error as DoctorDatabase.Failure where error.isDamagedDatabase:
            Failure(
                kind: .unchangeable,
                message: "the database is damaged (\(error.message)); `modelc store recover` saves what can be read")
        case let error as DoctorDatabase.Failure where error.isUnwritable:
            Failure(kind: .unchangeable, message: "the store cannot be written: \(error.message)")
        case let error as DoctorDatabase.Failure: failure(error)
        default: Failure(kind: .unchangeable, message: "the store cannot be written: \(error)")
        }
    }

    /// Returns an error of SQLite as the reason why the store cannot be checked.
    static func failure(_ error: DoctorDatabase.Failure) -> Failure {
        error.isBusy
            ? Failure(kind: .locked, message: "another process has locked the store")
            : Failure(kind: .notAStore, message: "SQLite cannot read the file: \(error.message)")
    }

    private func shown(_ finding: StoreFinding) -> Bool {
        finding.severity > .note || options.includesNotes || options.only.contains(finding.rule)
            || finding.rule == .duplicateRows
    }
}
