import CoreData
import TestSupport
import Testing

@testable import CoreData

/// The state of a store after a power failure or system crash, at any moment and with any part of unsynchronized
/// operations.
///
/// A run records the store's file operations; crashes are then simulated at these operations. For the long form, set
/// the environment variable `MODELC_CRASH_POINTS` to the number of crashes for each mode; `MODELC_CRASH_SEED` repeats
/// one run with all its crashes.
@Suite(.serialized) struct CrashTests {
    typealias Mode = CrashWorkload.Mode

    private static let environment = ProcessInfo.processInfo.environment
    /// Whether the runs are random ones: otherwise they are always the same, on any machine.
    private static let isLong = environment["MODELC_CRASH_POINTS"] != nil
    private static let points = Int(environment["MODELC_CRASH_POINTS"] ?? "") ?? 40
    private static let seed = UInt64(environment["MODELC_CRASH_SEED"] ?? "")
    private static let savesOfRun = 25

    /// The guaranteed state of a store after a crash.
    private enum Promise {
        /// All saves that were reported as successful, and possibly the one in progress.
        case everySave
        /// The same, but possibly without the last one: only `EXTRA` waits until the journal's removal is synchronized.
        case everySaveButTheLast
        /// Any number of the first saves, each of them complete.
        case someState

        /// Returns the range of the last saves that the store may contain.
        func allowed(_ states: [[String]], _ disk: CrashDisk) -> ClosedRange<Int> {
            switch self {
            case .everySave: return disk.acknowledged...disk.begun
            case .everySaveButTheLast:
                // A save that changed nothing does not count.
                var last = disk.acknowledged
                while last > 0, states[last - 1] == states[last] { last -= 1 }
                return max(last - 1, 0)...disk.begun
            case .someState: return 0...disk.begun
            }
        }
    }

    /// Simulates crashes, and returns descriptions of those after which the store breaks the promise.
    ///
    /// - Parameters:
    ///   - points: The approximate number of crashes, in as many runs as necessary.
    ///   - stopsAtFailure: Whether to stop at the first failure. If so, the runs are always the same.
    private static func failures(
        _ mode: Mode, _ promise: Promise, points: Int, omitting omission: CrashRecorder.Omission = .nothing,
        stopsAtFailure: Bool = false
    ) throws -> (crashes: Int, failures: [String]) {
        var (crashes, failures) = (0, [String]())
        var seeds = SystemRandomNumberGenerator()
        var runs: UInt64 = 0
        repeat {
            runs += 1
            let seed = Self.seed ?? (isLong && !stopsAtFailure ? UInt64.random(in: 0...99_999, using: &seeds) : runs)
            let run = try CrashWorkload(mode, seed: seed, saves: savesOfRun, omitting: omission)
            var disk = CrashDisk()
            // A few crashes in each run find a failure sooner than many in one run.
            let requested = stopsAtFailure ? 40 : points
            let share = Self.seed == nil ? min(1, Double(requested) / Double(run.operations.count)) : 1
            var choice = SeededGenerator(seed: seed)
            for (index, operation) in run.operations.enumerated() {
                disk.perform(operation)
                guard Double.random(in: 0..<1, using: &choice) < share else { continue }
                var random = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(index))
                crashes += 1
                let problems = try problems(disk.crash(&random), run, disk, promise, continues: index % 8 == 0)
                guard !problems.isEmpty else { continue }
                failures.append(
                    "MODELC_CRASH_SEED=\(seed), operation \(index), save \(disk.acknowledged) of \(disk.begun): "
                        + problems.joined(separator: "; "))
                if stopsAtFailure { return (crashes, failures) }
            }
        } while crashes < points && Self.seed == nil
        return (crashes, failures)
    }

    // MARK: After a crash

    private static func problems(
        _ files: [String: [UInt8]?], _ run: CrashWorkload, _ disk: CrashDisk, _ promise: Promise, continues: Bool
    ) throws -> [String] {
        let store = try TestStore(CrashWorkload.model())
        // The caller decides which defects are allowed.
        store.isSound = false
        for (path, content) in files.sorted(by: { $0.key < $1.key }) {
            let url = store.folder.appendingPathComponent(path)
            if let content {
                try Data(content).write(to: url)
            } else {
                try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            }
        }
        do {
            // Nothing has to survive this.
            let context = try store.open([
                NSPersistentHistoryTrackingKey: true, NSSQLitePragmasOption: ["synchronous": "OFF"],
            ])
            let state = try CrashWorkload.state(context, store)
            var problems = try integrityProblems(store)
            if let number = run.states.lastIndex(of: state) {
                let isAllowed = promise.allowed(run.states, disk).contains { run.states[$0] == state }
                if !isAllowed { problems.append("the store holds save \(number)") }
            } else {
                problems.append("the store holds no state that was saved: \(state)")
            }
            if continues {
                try context.performAndWait {
                    let group = NSEntityDescription.insertNewObject(forEntityName: "Group", into: context)
                    group.setValue(-5, forKey: "number")
                    try context.save()
                }
                problems += try integrityProblems(store)
            }
            try TestStore.close(context)
            return problems
        } catch {
            return ["\(error)"]
        }
    }

    /// Queries that return nothing in a consistent store.
    private static let contradictions = [
        "SELECT 'item without group', Z_PK FROM ZITEM WHERE ZGROUP NOT IN (SELECT Z_PK FROM ZGROUP)",
        "SELECT 'tag without item', Z_2ITEMS FROM Z_2TAGS WHERE Z_2ITEMS NOT IN (SELECT Z_PK FROM ZITEM)",
        "SELECT 'item without tag', Z_3TAGS FROM Z_2TAGS WHERE Z_3TAGS NOT IN (SELECT Z_PK FROM ZTAG)",
        "SELECT 'key of item', Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Item' AND Z_MAX < (SELECT max(Z_PK) FROM ZITEM)",
        "SELECT 'key of group', Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Group' AND Z_MAX < (SELECT max(Z_PK) FROM ZGROUP)",
        "SELECT 'change without transaction', Z_PK FROM ACHANGE "
            + "WHERE ZTRANSACTIONID NOT IN (SELECT Z_PK FROM ATRANSACTION)",
        "SELECT 'transaction without change', Z_PK FROM ATRANSACTION "
            + "WHERE Z_PK NOT IN (SELECT ZTRANSACTIONID FROM ACHANGE)",
    ]

    private static func integrityProblems(_ store: TestStore) throws -> [String] {
        let database = try store.database()
        var problems = try database.rows("PRAGMA integrity_check").compactMap { $0[0] == "ok" ? nil : $0[0] }
        for query in contradictions { problems += try database.rows(query).map { "\($0)" } }
        let (named, there) = try WriterProcess.externalFiles(store)
        problems += named.filter { !there.contains($0) }.map { "missing file \($0)" }
        return problems
    }

    // MARK: Tests

    private func check(_ mode: Mode, _ promise: Promise, points: Int = points) throws {
        let (crashes, failures) = try Self.failures(mode, promise, points: points)
        for failure in failures.prefix(5) { Issue.record("\(mode.testDescription): \(failure)") }
        #expect(failures.count == 0, "\(failures.count) of \(crashes) crashes")
        if Self.environment["MODELC_CRASH_POINTS"] != nil { print("\(mode.testDescription): \(crashes) crashes") }
    }

    @Test func fullSynchronizationKeepsEverySave() throws {
        try check(Mode(journal: "WAL", synchronous: "FULL"), .everySave)
    }

    @Test func readersDoNotMatter() throws {
        try check(Mode(journal: "WAL", synchronous: "FULL", hasReader: true), .everySave)
        try check(Mode(journal: "WAL", synchronous: "NORMAL", hasReader: true), .someState)
    }

    @Test func normalSynchronizationKeepsOnlyWholeSaves() throws {
        try check(Mode(journal: "WAL", synchronous: "NORMAL"), .someState)
    }

    @Test(arguments: ["TRUNCATE", "PERSIST"])
    func journalsKeepEverySave(_ journal: String) throws {
        try check(Mode(journal: journal, synchronous: "FULL"), .everySave, points: Self.points / 4)
    }

    @Test func deletedJournalsKeepEverySave() throws {
        try check(Mode(journal: "DELETE", synchronous: "EXTRA"), .everySave, points: Self.points / 4)
        try check(Mode(journal: "DELETE", synchronous: "FULL"), .everySaveButTheLast, points: Self.points / 4)
    }

    /// The simulation detects a store that does not wait for the disk.
    @Test(arguments: ["WAL", "DELETE"])
    func disablingSynchronizationDamagesStores(_ journal: String) throws {
        let (crashes, failures) = try Self.failures(
            Mode(journal: journal, synchronous: "OFF"), .someState, points: 1000, stopsAtFailure: true)
        #expect(failures.count > 0, "\(crashes) crashes")
    }

    /// The simulation detects each omitted synchronization of files next to the database.
    ///
    /// The log needs none of the store's own: files are removed only after a checkpoint, before which SQLite
    /// synchronizes it.
    @Test(arguments: [CrashRecorder.Omission.externalFileContents, .externalFileNames])
    func missingSynchronizationIsDetected(_ omission: CrashRecorder.Omission) throws {
        let (crashes, failures) = try Self.failures(
            Mode(journal: "WAL", synchronous: "FULL"), .everySave, points: 1000, omitting: omission,
            stopsAtFailure: true)
        #expect(failures.count > 0, "\(crashes) crashes")
    }
}
