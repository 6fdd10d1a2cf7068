package import Diagnostics
internal import ModelLint

/// What a command has found, to be printed or recorded in a baseline.
package struct FindingsReport {
    /// The findings, in the order in which they are printed.
    private let diagnostics: [Diagnostic]
    /// The files that were checked, which no report may replace.
    private let files: [String]
    /// The rules that were checked completely: a new baseline replaces their entries, and other entries are not stale.
    private let checkedRules: Set<RuleID>
    /// The rules that SARIF reports list; `nil` for those of the findings.
    private let rules: [RuleDescription]?
    /// The lines of the files that were read, by path. Excerpts show those that `ExcerptRule` permits.
    var lines: [String: LineIndex] = [:]
    /// The number of findings that suppressions and settings hide.
    var hiddenCount = 0
    /// Returns the verdict on the findings that the baseline leaves.
    var headlines: ([Diagnostic]) -> [Headline] = { _ in [] }
    /// The summaries of checked stores, for the JSON report.
    private var stores: [JSONValue] = []
    /// Whether baselines name stores by their paths, because stores in different folders often have the same name.
    private var namesStoresByPath = false

    /// Where a report is written to, and what is left out.
    package struct Options {
        var outputs: [ReportOutput.Destination]
        /// The destinations if `outputs` is empty.
        var defaults = [ReportOutput.Destination(kind: .text, path: nil)]
        /// The baseline to write instead of a report.
        var newBaselinePath: String?
        var baselinePath: String?
        /// The place in the settings that names the baseline.
        var baselineLocation: (file: String, range: SourceRange)?
        /// The lowest severity that fails.
        var failLevel: Severity

        /// Creates the options of a command that reads settings.
        init(_ outputs: [ReportOutput.Destination], _ failing: FailureArguments, settings: RunSettings) {
            self.outputs = outputs
            newBaselinePath = failing.newBaselinePath
            baselinePath = settings.baselinePath
            baselineLocation = settings.baselineLocation
            failLevel = settings.failLevel
        }

        /// Creates the options of a command that reads no settings.
        package init(_ outputs: [ReportOutput.Destination], _ failing: FailureArguments) {
            self.outputs = outputs
            newBaselinePath = failing.newBaselinePath
            baselinePath = failing.baselinePath
            failLevel = failing.minimumSeverity ?? .error
        }
    }

    /// What was printed.
    package struct Shown {
        /// The report, without the findings of the baseline.
        package let report: Report
        /// The number of findings in the baseline that no longer occur.
        let staleCount: Int
        /// The number of findings that have the fail level.
        let failureCount: Int

        /// `findings` if a finding has the fail level.
        package var exitCode: ExitCode { failureCount > 0 ? .findings : .success }
    }

    /// Creates a report.
    ///
    /// - Parameters:
    ///   - diagnostics: The findings, in the order in which they are printed.
    ///   - files: The files that were checked.
    ///   - checkedRules: The rules whose entries a new baseline replaces.
    ///   - rules: The rules that SARIF reports list; `nil` for those of the findings.
    init(_ diagnostics: [Diagnostic], files: [String], checkedRules: Set<RuleID>, listing rules: [RuleDescription]?) {
        self.diagnostics = diagnostics
        self.files = files
        self.checkedRules = checkedRules
        self.rules = rules
    }

    /// Creates the report of `modelc store check`.
    ///
    /// - Parameter summaries: The summaries of the stores.
    package init(onStores paths: [String], _ diagnostics: [Diagnostic], summaries: [JSONValue]) {
        self.init(
            diagnostics.sortedByLocation(), files: paths.sorted(), checkedRules: RuleRegistry.rules(of: "store check"),
            listing: nil)
        stores = summaries
        namesStoresByPath = true
    }

    /// Prints the findings, without those of the baseline, or records them in a new baseline.
    ///
    /// - Returns: What was printed; `nil` if a baseline was written.
    package func write(_ options: Options, in environment: DriverEnvironment) throws(InputFailure) -> Shown? {
        let output = ReportOutput(environment: environment, sources: files)
        if let path = options.newBaselinePath {
            let names = names(path, environment.files)
            try output.write(Baseline(diagnostics.map(names.recorded)), to: path, replacing: checkedRules)
            environment.errorLine("modelc: wrote \(counted(diagnostics.count, "finding")) to \(path)")
            return nil
        }
        var left = (rest: diagnostics, hiddenCount: 0, staleCount: 0)
        if let path = options.baselinePath {
            left = try output.readBaseline(path, namedAt: options.baselineLocation).filter(
                diagnostics, checked: checkedRules, candidates: names(path, environment.files).candidates)
        }
        var excerpts = ExcerptRule(files: environment.files)
        var report = Report(
            diagnostics: left.rest, rules: listedRules(left.rest), lines: excerpts.shown(lines, for: left.rest),
            checkedFiles: files, hiddenCount: hiddenCount + left.hiddenCount, toolVersion: ToolVersion.number)
        // From the working directory, as the paths of the files in reports.
        let names = names("baseline", environment.files)
        report.identified = left.rest.map(names.identified)
        report.headlines = headlines(left.rest)
        report.stores = stores
        try output.print(report, to: options.outputs.isEmpty ? options.defaults : options.outputs)
        return Shown(
            report: report, staleCount: left.staleCount,
            failureCount: left.rest.count { $0.severity >= options.failLevel })
    }

    private func names(_ baseline: String, _ files: any FileSystem) -> BaselineNames {
        BaselineNames(baseline: baseline, checked: self.files, namesStoresByPath: namesStoresByPath, files)
    }

    private func listedRules(_ shown: [Diagnostic]) -> [RuleID: RuleDescription] {
        let found = Set(shown.map(\.rule))
        let listed = rules ?? RuleRegistry.descriptions.filter { found.contains($0.id) }
        return Dictionary(uniqueKeysWithValues: listed.map { ($0.id, $0) })
    }
}
