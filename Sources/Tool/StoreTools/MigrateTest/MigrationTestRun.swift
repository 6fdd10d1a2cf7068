internal import CoreData
internal import Foundation
internal import ModelMigration
internal import ModelSchema
internal import ModelcDriver
internal import StoreFile

/// Creates or copies stores of earlier versions, and migrates each on both routes to the target, on all cores.
final class MigrationTestRun: @unchecked Sendable {
    // Unchecked: `results` and `finished` are guarded by the lock, everything else is constant.
    private let plan: MigrationTestPlan
    private let rows: Int
    private let seed: UInt64
    private let folder: URL
    private let lock = NSLock()
    private var results: [[MigrationTestResult]] = []
    private var finished = 0

    /// - Parameter folder: The folder for the stores, which the caller removes.
    init(_ plan: MigrationTestPlan, rows: Int, seed: UInt64, folder: URL) {
        self.folder = folder
        self.plan = plan
        self.rows = rows
        self.seed = seed
    }

    /// A store that is migrated.
    private struct Source {
        var name: String
        /// The index of its version; `nil` if no version has its hashes.
        var version: Int?
        /// The path of the file; `nil` for a generated store.
        var path: String?
    }

    /// Runs all migrations.
    ///
    /// - Parameter stores: The given stores; `nil` to generate one for each version before the target.
    /// - Returns: The results, by store.
    /// - Throws: If no store can be made in the folder.
    func run(_ stores: [FoundStores.Store]?) throws -> [MigrationTestResult] {
        let sources =
            stores.map { $0.map { Source(name: $0.name, version: plan.version(with: $0.hashes), path: $0.path) } }
            ?? plan.versions.indices.dropLast().map { Source(name: plan.versions[$0].name, version: $0) }
        let schema = try targetSchema()
        results = Array(repeating: [], count: sources.count)
        let progress = Progress(totalUnitCount: Int64(sources.count))
        DispatchQueue.concurrentPerform(iterations: sources.count) { index in
            let found = test(sources[index], schema, in: folder.appendingPathComponent("\(index)"))
            let done = lock.withLock { () -> Int in
                results[index] = found
                finished += 1
                return finished
            }
            progress.completedUnitCount = Int64(done)
        }
        return results.flatMap { $0 }
    }

    /// Returns the schema of a new store of the target.
    private func targetSchema() throws -> Set<String> {
        let path = folder.appendingPathComponent("target.sqlite").path
        let target = plan.versions[plan.target]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: target.description)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: path), options: nil)
        try coordinator.remove(store)
        return try StoreSchemaListing(path: path).lines
    }

    // MARK: One store

    private func test(_ source: Source, _ schema: Set<String>, in folder: URL) -> [MigrationTestResult] {
        func result(_ reason: String) -> [MigrationTestResult] {
            [MigrationTestResult(store: source.name, route: .direct, outcome: .failed([reason]), seconds: 0)]
        }
        guard let version = source.version else {
            return result("no version up to “\(plan.versions[plan.target].name)” has the hashes of the store")
        }
        defer { try? FileManager.default.removeItem(at: folder) }
        let original = folder.appendingPathComponent("original.sqlite")
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            if let path = source.path {
                try StoreFileCopy.copy(URL(fileURLWithPath: path), to: original)
            } else {
                try make(version, at: original)
            }
        } catch let failure as StoreMaker.Failure {
            return result(failure.message)
        } catch let failure as Unsatisfiable {
            return result(failure.finding.message)
        } catch {
            return result("the store cannot be copied: \(error.localizedDescription)")
        }
        var routes = [[version, plan.target]]
        if version + 1 < plan.target { routes.append(Array(version...plan.target)) }
        if version == plan.target { routes = [[version]] }
        return routes.map { route in
            let start = ContinuousClock.now
            let outcome = RouteTest(
                plan: plan, route: route, original: original, schema: schema, isCreated: source.path == nil
            )
            .run()
            let time = (ContinuousClock.now - start).components
            return MigrationTestResult(
                store: source.name, route: route.count > 2 ? .steps(route.count - 1) : .direct, outcome: outcome,
                seconds: Double(time.seconds) + Double(time.attoseconds) * 1e-18)
        }
    }

    private func make(_ version: Int, at url: URL) throws {
        let tested = plan.versions[version]
        let storePlan = try StorePlan(tested.indexed, rows: rows)
        _ = try StoreMaker(storePlan, model: tested.description, seed: seed).write(to: url.path)
    }
}

extension StoreMaker.Failure {
    /// The reason why the store was not written, in one sentence.
    fileprivate var message: String {
        switch self {
        case .unsatisfiable(let error): error.finding.message
        case .store(let reason): "the store cannot be made: \(reason)"
        }
    }
}
