internal import CoreData
internal import Diagnostics
internal import Foundation
internal import ModelMigration
internal import ModelSchema
internal import StoreFile

/// A test of one route of a store to the target: migrates a copy step by step, and compares it with the original.
struct RouteTest {
    /// Only the result matters, so there is no need to wait for the disk.
    private static let pragmas = ["journal_mode": "MEMORY", "synchronous": "OFF"]

    let plan: MigrationTestPlan
    /// The indexes of the versions, from that of the store to the target.
    let route: [Int]
    /// The store, which is not changed.
    let original: URL
    /// The schema of a new store of the target.
    let schema: Set<String>
    /// Whether the store was generated for the test, so that it contains only what Core Data creates.
    let isCreated: Bool

    /// Migrates a copy of the store, and compares it.
    func run() -> MigrationTestResult.Outcome {
        let copy = original.deletingLastPathComponent().appendingPathComponent("migrated-\(route.count).sqlite")
        defer {
            for path in [
                copy.path, copy.path + "-wal", copy.path + "-shm", StagingLocation.supportFolder(of: copy.path),
            ] {
                try? FileManager.default.removeItem(atPath: path)
            }
        }
        do {
            try StoreFileCopy.copy(original, to: copy)
        } catch {
            return .failed(["the store cannot be copied: \(error.localizedDescription)"])
        }
        var isMapped = false
        for (source, destination) in zip(route, route.dropFirst()) {
            let step = plan.step(from: source, to: destination)
            let failure = migrate(copy, step: step, source: source, destination: destination)
            if let failure { return failure }
            if case .mapped = step { isMapped = true }
        }
        return compare(copy, isMapped: isMapped)
    }

    /// Performs one step. Returns the outcome if the step is impossible or fails.
    private func migrate(
        _ store: URL, step: MigrationTestPlan.Step, source: Int, destination: Int
    ) -> MigrationTestResult.Outcome? {
        let (old, new) = (plan.versions[source], plan.versions[destination])
        let isPartial = route.count > 2
        let prefix = isPartial ? "“\(old.name)” → “\(new.name)”: " : ""
        do throws(StoreMigrator.Failure) {
            switch step {
            case .unneeded: return nil
            case .impossible(let reasons): return .impossible(reasons.map { prefix + $0 })
            case .needsPolicy(let path, let name):
                return .needsCode(
                    "\(prefix)the mapping model “\(path)” needs the policy “\(name)”, which is code of the app")
            case .inferred:
                try StoreMigrator(
                    path: store.path, from: old.description, to: new.description, pragmas: Self.pragmas,
                    cache: plan.cache
                ).run()
            case .mapped(let mapping):
                try StoreMigrator(
                    path: store.path, from: old.description, to: new.description, mapping: mapping,
                    pragmas: Self.pragmas
                ).run()
            }
            return nil
        } catch {
            let code = error.code == 0 ? "" : " (\(error.code))"
            return .failed(["\(prefix)\(error.reason)\(code)" + (error.help.map { ". \($0)" } ?? "")])
        }
    }

    // MARK: Comparison

    private func compare(_ store: URL, isMapped: Bool) -> MigrationTestResult.Outcome {
        var reasons: [String] = []
        do {
            let found = try StoreSchemaListing(path: store.path).lines
            reasons += schema.subtracting(found).sorted().map { "the schema lacks \($0)" }
            // Stores of apps may have tables and indexes of the app.
            if isCreated {
                reasons += found.subtracting(schema).sorted().map { "the schema of a new store has no \($0)" }
            }
            let (first, last) = (plan.versions[route.first ?? 0], plan.versions[plan.target])
            let new = try StoreSide(store.path, model: last.indexed, description: last.description)
            guard !isMapped, route.count > 1 else {
                let note = isMapped ? "with a mapping model, values not compared" : "has the version already"
                return reasons.isEmpty ? .passed(note) : .failed(reasons)
            }
            let names = plan.names(from: route.first ?? 0, isDirect: route.count == 2)
            let old = try StoreSide(original.path, model: first.indexed, description: first.description)
            var comparison = StoreComparison(
                old: old, new: new, match: StoreMatch(old: first.indexed, new: last.indexed, names: names), keys: [:])
            let difference = try comparison.run()
            let check = MigratedValueCheck(names)
            reasons += difference.objects.flatMap(check.reasons)
            let allowed = difference.objects.count { $0.kind == .changed && check.reasons($0).isEmpty }
            return reasons.isEmpty ? .passed(counted(difference.equalCount + allowed, "object")) : .failed(reasons)
        } catch let error as StoreContents.Failure {
            return .failed(reasons + ["the migrated store cannot be read: \(error.message)"])
        } catch {
            return .failed(reasons + ["the migrated store cannot be read: \(error)"])
        }
    }
}
