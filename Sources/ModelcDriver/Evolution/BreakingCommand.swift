package import Diagnostics
package import ModelEvolution
internal import ModelLint
internal import ModelSchema
internal import ModelSource

/// `modelc breaking`: what keeps the users of a released model from updating.
package struct BreakingCommand: Sendable {
    /// Where models are looked for.
    package var paths: [String] = ["."]
    /// What the models are compared with: a git revision, a model in any form, a store, or a lock.
    package var against: String
    /// How strict the comparison is.
    package var level = CompatibilityLevel.lightweight
    /// A folder of released stores, as evidence of what users have; `nil` for none.
    package var storesPath: String?
    /// The lock that tells which versions are drafts, in the working directory or in the revision.
    package var lockPath = LockCommand.defaultFileName
    /// The forms of the output; text on standard output if there are none.
    package var outputs: [LintCommand.Output] = []
    /// The path of the settings; `nil` to look for `.modelc.yml`.
    package var configurationPath: String?
    /// The least severity that fails; `nil` for what the settings say.
    package var failLevel: Severity?
    /// The path of a baseline whose findings are hidden.
    package var baselinePath: String?
    /// The path that a baseline of the findings is written to.
    package var newBaselinePath: String?
    /// The version of the tool, for reports.
    package var toolVersion = ""

    /// Makes a command.
    package init(against: String) {
        self.against = against
    }

    /// Runs the command.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            let settings = try settings(environment)
            var finder = ModelFinder(files: environment.files) { settings.isIncluded($0) }
            finder.findsSwiftSources = true
            let found = try finder.find(paths)
            let reference = try BreakingReference(against, lockPath: lockPath, files: environment.files)
            let missing = try reference.missingModels(below: paths) { settings.isIncluded($0) }
            if found.paths.isEmpty, missing.isEmpty, !reference.isLock { throw ModelFinder.noModels(below: paths) }
            var session = BreakingSession(
                reference: reference, missingModels: missing, level: level, settings: settings,
                files: environment.files,
                evidence: try storesPath.map { path throws(InputFailure) in
                    try StoreEvidence(folder: path, files: environment.files)
                })
            for path in found.paths { try session.check(path) }
            session.checkMissingModels(searched: paths)
            session.checkEvidence()
            return try report(session, settings, &printer, environment)
        }
    }

    private func settings(_ environment: DriverEnvironment) throws(InputFailure) -> LintSettings {
        var command = LintCommand()
        command.configurationPath = configurationPath
        command.failLevel = failLevel
        return try LintSettings(command, environment.files)
    }

    private func report(
        _ session: BreakingSession, _ settings: LintSettings, _ printer: inout DiagnosticPrinter,
        _ environment: DriverEnvironment
    ) throws(InputFailure) -> ExitCode {
        let output = ReportOutput(environment: environment, sources: session.files)
        var diagnostics = session.diagnostics.sortedByPlace()
        if let newBaselinePath {
            try output.write(Baseline(diagnostics).text, to: newBaselinePath)
            environment.errorLine("modelc: wrote \(diagnostics.count) findings to \(newBaselinePath)")
            return .success
        }
        var hiddenCount = session.hiddenCount
        if let baselinePath {
            let filtered = try output.readBaseline(baselinePath).filter(diagnostics)
            diagnostics = filtered.rest
            hiddenCount += filtered.hiddenCount
        }
        var excerpts = ExcerptRule(files: environment.files)
        var lines: [String: LineIndex] = [:]
        for path in Set(diagnostics.compactMap(\.file)) where excerpts.mayShow(path) {
            lines[path] = session.lines[path]
        }
        try output.print(
            Report(
                diagnostics: diagnostics,
                rules: Dictionary(
                    uniqueKeysWithValues: RuleRegistry.configurableDescriptions.map { ($0.id, $0) }),
                lines: lines, checkedFiles: session.files, hiddenCount: hiddenCount, toolVersion: toolVersion),
            to: outputs)
        for comparison in session.comparisons { environment.errorLine("modelc: \(comparison)") }
        let count = diagnostics.count { $0.severity >= settings.failLevel }
        environment.errorLine(
            "modelc: \(count == 0 ? "no" : String(count)) breaking change\(count == 1 ? "" : "s")"
                + " at level \(level.rawValue)"
                + (hiddenCount == 0 ? "" : ", \(hiddenCount) hidden by suppressions or the baseline"))
        return count == 0 ? .success : .findings
    }
}
