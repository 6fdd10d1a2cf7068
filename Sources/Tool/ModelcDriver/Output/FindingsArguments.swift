internal import ArgumentParser
package import Diagnostics
internal import ModelLint

/// The arguments of a command that reports findings and reads no settings: how they are printed, which of them fail,
/// and the baseline that hides some.
package struct FindingsArguments: ParsableArguments {
    @Option(
        name: .customLong("reporter"), parsing: .singleValue,
        help: ArgumentHelp(
            "How findings are printed, as in modelc lint; with =FILE into a file. Can be given several times.",
            valueName: "reporter[=file]"),
        completion: .reporters)
    var outputs: [ReportOutput.Destination] = []

    @OptionGroup var failing: FailureArguments

    /// Creates the arguments; parse them to use them.
    package init() {}

    /// Returns a function that names stores by their paths relative to a baseline, because stores in different folders
    /// often have the same name.
    private static func naming(_ baseline: String, _ files: any FileSystem) -> (Diagnostic) -> Diagnostic {
        func components(_ path: String) -> [Substring]? { files.fullPath(path)?.split(separator: "/") }
        let folder = components(baseline)?.dropLast()
        return { diagnostic in
            guard let folder, let file = diagnostic.file.flatMap(components), diagnostic.element != nil else {
                return diagnostic
            }
            let shared = zip(folder, file).prefix { $0 == $1 }.count
            var result = diagnostic
            result.element?.model = ([Substring](repeating: "..", count: folder.count - shared) + file[shared...])
                .joined(separator: "/")
            return result
        }
    }

    /// Prints findings, without those of the baseline, or records them in a new baseline.
    ///
    /// - Parameters:
    ///   - diagnostics: The findings.
    ///   - files: The files that were checked, which no report may replace.
    ///   - stores: The summaries of checked stores, for the JSON report.
    ///   - summary: Returns the last lines for people, given the findings that were printed.
    /// - Returns: `findings` if a finding has the fail level.
    package func report(
        _ diagnostics: [Diagnostic], files: [String], stores: [JSONValue] = [],
        summary: ([Diagnostic]) -> String, in environment: DriverEnvironment
    ) throws(InputFailure) -> ExitCode {
        let output = ReportOutput(environment: environment, sources: files)
        var shown = diagnostics.sortedByLocation()
        if let path = failing.newBaselinePath {
            try output.write(
                Baseline(shown, named: Self.naming(path, environment.files)), to: path,
                replacing: RuleRegistry.rules(of: "store check"))
            environment.errorLine("modelc: wrote \(counted(shown.count, "finding")) to \(path)")
            return .success
        }
        var hiddenCount = 0
        if let path = failing.baselinePath {
            let filtered = try output.readBaseline(path).filter(shown, named: Self.naming(path, environment.files))
            (shown, hiddenCount) = (filtered.rest, filtered.hiddenCount)
        }
        let rules = Set(shown.map(\.rule))
        var report = Report(
            diagnostics: shown,
            rules: Dictionary(
                uniqueKeysWithValues: RuleRegistry.descriptions.filter { rules.contains($0.id) }.map { ($0.id, $0) }),
            lines: [:], checkedFiles: files.sorted(), hiddenCount: hiddenCount, toolVersion: ToolVersion.number)
        report.stores = stores
        try output.print(report, to: outputs)
        environment.errorOutput(summary(shown))
        if hiddenCount > 0 {
            environment.errorLine(
                "modelc: \(counted(hiddenCount, "more finding")) hidden by the baseline")
        }
        let failLevel = failing.minimumSeverity ?? .error
        return shown.contains { $0.severity >= failLevel } ? .findings : .success
    }
}

/// The rules of `modelc store check`, for the command.
package enum StoreRuleNames {
    /// Returns the rules with names or codes.
    ///
    /// - Throws: If a name is unknown, or that of another command's rule.
    package static func rules(_ names: [String]) throws(InputFailure) -> Set<RuleID> {
        var result: Set<RuleID> = []
        for name in names {
            guard let rule = RuleRegistry.description(named: name), RuleRegistry.storeDescriptions.contains(rule)
            else {
                throw InputFailure(
                    diagnostics: [
                        Diagnostic(
                            .error, rule: .unknownRule, "“\(name)” is not a rule of store check",
                            help: RuleRegistry.storeSuggestion(for: name).map { "Did you mean “\($0)”?" }
                                ?? "“modelc rules” lists the rules.")
                    ],
                    exitCode: .couldNotRun)
            }
            result.insert(rule.id)
        }
        return result
    }
}
