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
                diagnostics += result.findings.map { $0.diagnostic(path: path, word: ShellWord.quoted(path)) }
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
        options.duplicates = duplicates.map { StoreDoctor.Duplicates($0) }
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
        let result: StoreDoctor.Result
        do throws(StoreDoctor.Failure) {
            result = try ProgressBar(environment, label: path).run { () throws(StoreDoctor.Failure) in
                try doctor.check()
            }
        } catch {
            throw StoreModelChoice.failure(error, path: path, environment: environment)
        }
        if let reason = result.missingModel, !result.isDamaged,
            let rule = options.only.filter(StoreDoctor.needsModel).min(by: { $0.rawValue < $1.rawValue })
        {
            throw InputFailure(
                path, rule: .noModelInStore, message: "“\(rule.rawValue)” cannot be checked, because \(reason)",
                help: "Specify the model with --model.")
        }
        return result
    }

    /// Returns the last lines of the output.
    private static func summary(_ report: Report, stores: [String], rows: Int64) -> String {
        let extent = counted(rows, "row") + (stores.count == 1 ? "" : " of \(stores.count) stores")
        let hidden = report.hiddenCount
        let repairable = report.diagnostics.count { $0.rows?.repair == .safe }
        let store = stores.count == 1 ? DisplayText.line(ShellWord.quoted(stores[0])) : "STORE"
        return "modelc: \(report.diagnostics.isEmpty ? "no findings" : "found \(report.diagnostics.severityCounts)")"
            + " in \(extent)"
            + (repairable == 0 ? "" : "; \(repairable) can be repaired: modelc store repair \(store) --output FIXED")
            + "\n" + (hidden > 0 ? "modelc: \(counted(hidden, "more finding")) hidden by the baseline\n" : "")
    }
}
