internal import CoreData
internal import Diagnostics
internal import ModelMigration
internal import ModelSchema
package import ModelcDriver
internal import StoreDoctor

extension StoreCheckCommand {
    /// Runs the command. The exit code is 1 if a store has faults at the fail level.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            let options = try options()
            var diagnostics: [Diagnostic] = []
            var stores: [JSONValue] = []
            var rows: Int64 = 0
            let set = try modelPath.map { name throws(InputFailure) in
                try ModelSetReader(files: environment.files).read(name)
            }
            var checked: [String] = []
            // A store that is named twice is checked once.
            var seen: Set<String> = []
            let paths = paths.filter { seen.insert(environment.files.canonicalPath($0) ?? $0).inserted }
            for path in paths {
                let result: StoreDoctor.Result
                do throws(InputFailure) {
                    result = try check(path, set: set, options: options, environment: environment)
                } catch {
                    // The other stores are still checked.
                    printer.print(error.diagnostics)
                    stores.append(
                        .object([
                            ("path", .string(path)),
                            ("error", .string(error.diagnostics.first?.message ?? "the store cannot be read")),
                        ]))
                    continue
                }
                checked.append(path)
                diagnostics += result.findings.map { $0.diagnostic(path: path) }
                rows += result.summary?.checkedRows ?? 0
                if let summary = result.summary { stores.append(summary.json(path: path)) }
                if let reason = result.missingModel {
                    environment.errorLine("modelc: \(path): checked without a model, because \(reason)")
                }
            }
            guard !checked.isEmpty else { return .couldNotRun }
            let report = FindingsReport(onStores: paths, diagnostics, summaries: stores)
            let shown = try report.write(FindingsReport.Options(outputs, failing), in: environment)
            if let shown {
                environment.errorOutput(Self.summary(shown.report, stores: checked, rows: rows))
            }
            return checked.count == paths.count ? shown?.exitCode ?? .success : .couldNotRun
        }
    }

    private func options() throws(InputFailure) -> StoreDoctor.Options {
        var options = StoreDoctor.Options()
        options.isQuick = isQuick
        options.includesNotes = includesNotes
        options.only = try StoreRuleNames.rules(only)
        options.except = try StoreRuleNames.rules(except)
        options.historyDays = historyDays
        options.maxExamples = maxExamples
        options.duplicates = duplicates.map { text in
            let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
            return StoreDoctor.Duplicates(
                entity: parts.first ?? "",
                properties: parts.count > 1 ? parts[1].split(separator: ",").map(String.init) : [])
        }
        return options
    }

    private func check(
        _ path: String, set: ModelSet?, options: StoreDoctor.Options, environment: DriverEnvironment
    ) throws(InputFailure) -> StoreDoctor.Result {
        try environment.files.requireStore(path)
        let model = try set.map { set throws(InputFailure) in
            try StoreModelChoice.model(of: path, in: set, environment.files)
        }
        let doctor = StoreDoctor(path: environment.files.systemPath(path), model: model, options: options)
        do throws(StoreDoctor.Failure) {
            return try ProgressBar(environment, label: path).run { () throws(StoreDoctor.Failure) in
                try doctor.check()
            }
        } catch {
            throw StoreModelChoice.failure(error, path: path, environment: environment)
        }
    }

    /// Returns the last lines of the output.
    private static func summary(_ report: Report, stores: [String], rows: Int64) -> String {
        let extent = counted(rows, "row") + (stores.count == 1 ? "" : " of \(stores.count) stores")
        let hidden = report.hiddenCount
        let repairable = report.diagnostics.count { $0.rows?.repair == .safe }
        let store = stores.count == 1 ? stores[0] : "STORE"
        return "modelc: \(report.diagnostics.isEmpty ? "no findings" : "found \(report.diagnostics.severityCounts)")"
            + " in \(extent)"
            + (repairable == 0 ? "" : "; \(repairable) can be repaired: modelc store repair \(store) --output FIXED")
            + "\n" + (hidden > 0 ? "modelc: \(counted(hidden, "more finding")) hidden by the baseline\n" : "")
    }
}

/// Chooses the model of a store, for the commands that check and export stores.
enum StoreModelChoice {
    /// Returns the version of a model that has the hashes of a store, or a configuration with them; the current one if
    /// the store's hashes cannot be read.
    static func model(
        of path: String, in set: ModelSet, _ files: any FileSystem
    ) throws(InputFailure) -> NSManagedObjectModel {
        guard let hashes = (try? StoreSide.storeVersion(path, files))?.statedHashes else {
            let version = try set.version(named: nil, option: "--model")
            return try version.managedObjectModel(try version.indexedModel())
        }
        let version =
            set.versions.first { $0.model?.versionHashes().entities == hashes }
            ?? set.versions.first { $0.model.map { hasConfiguration($0, with: hashes) } ?? false }
        guard let version else {
            throw InputFailure(
                path, rule: .noModelInStore, message: "no version of “\(set.path)” has the hashes of the store",
                help: "Specify the model that the store was written with.")
        }
        return try version.managedObjectModel(try version.indexedModel())
    }

    /// Returns the model that an option names; `nil` for none.
    static func given(
        _ name: String?, store path: String, _ files: any FileSystem
    ) throws(InputFailure) -> NSManagedObjectModel? {
        guard let name else { return nil }
        return try model(of: path, in: try ModelSetReader(files: files).read(name), files)
    }

    /// Returns whether the hashes are those of a part of a model that contains one of its configurations.
    private static func hasConfiguration(_ model: Model, with hashes: EntityVersionHashes) -> Bool {
        let own = Dictionary(model.versionHashes().entities.elements.map { ($0.name, $0.hash) }) { first, _ in first }
        let names = Set(hashes.elements.map(\.name))
        return !names.isEmpty && hashes.elements.allSatisfy { own[$0.name] == $0.hash }
            && model.configurations.contains { configuration in
                !configuration.members.isEmpty && configuration.members.allSatisfy { names.contains($0.entityName) }
            }
    }

    /// Returns the failure of the doctor as a command's failure.
    static func failure(_ error: StoreDoctor.Failure, path: String, environment: DriverEnvironment) -> InputFailure {
        switch error.kind {
        case .notAStore:
            return InputFailure(
                path, rule: .notAStore, message: error.message, help: "Specify a SQLite store of Core Data.")
        case .unknownElement:
            return InputFailure(
                path, rule: .noSuchEntity, message: error.message, help: "Write the name as in the model.")
        case .noModel:
            return InputFailure(
                path, rule: .noModelInStore, message: error.message, help: "Specify the model with --model.")
        case .unchangeable:
            return InputFailure(path, rule: .fileSystem, message: error.message, help: "Nothing was changed.")
        case .interrupted:
            return InputFailure(
                path, rule: .fileSystem, message: error.message,
                help: "The store is intact, and what was done stays. Run the command again to continue.")
        case .changing:
            return InputFailure(
                path, rule: .fileSystem, message: error.message,
                help: "Run the command again when the app that uses the store does not write.")
        case .locked:
            let holders = StoreLock.holders(ofStoreAt: environment.files.systemPath(path)).map { " by \($0)" } ?? ""
            return InputFailure(
                path, rule: .fileSystem, message: "\(error.message)\(holders)",
                help: "Quit the app that uses the store, or name a copy of it.")
        }
    }
}
