internal import Diagnostics
internal import ModelLint

/// Prints a report in the requested formats, and reads and writes baselines.
package struct ReportOutput {
    /// A format of output and its destination.
    package struct Destination: Hashable, Sendable {
        /// The format.
        var kind: ReporterKind
        /// The path of a file; `nil` for standard output.
        var path: String?

        /// Creates a destination.
        init(kind: ReporterKind, path: String?) {
            self.kind = kind
            self.path = path
        }

        /// Parses `KIND` or `KIND=FILE`; `nil` if there is no such kind, or no file after the `=`.
        package init?(argument: String) {
            let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 || !argument.contains("="),
                let kind = parts.first.flatMap(ReporterKind.init(rawValue:))
            else { return nil }
            self.init(kind: kind, path: parts.count > 1 ? parts[1] : nil)
        }
    }

    let environment: DriverEnvironment
    /// The files that were read, which no report may replace.
    let sources: [String]

    /// Prints a report in some formats.
    func print(_ report: Report, to outputs: [Destination]) throws(InputFailure) {
        for output in outputs {
            let isColored = output.path == nil && environment.outputUsesColor
            let text = output.kind.reporter(usesColor: isColored).text(for: report)
            if let path = output.path {
                try write(text, to: path)
            } else if output.kind == .github {
                environment.outputCommands(text)
            } else {
                environment.output(text, isStyled: isColored)
            }
        }
    }

    func readBaseline(_ path: String) throws(InputFailure) -> Baseline {
        let bytes = try environment.files.readInput(path)
        do throws(Baseline.Malformed) {
            return try Baseline(text: String(decoding: bytes, as: UTF8.self))
        } catch {
            let start = SourcePosition(line: error.line, column: 1)
            throw InputFailure(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .malformedBaseline, error.message, file: path,
                        range: SourceRange(start: start, end: start), help: "Write it again with --write-baseline.")
                ],
                exitCode: .couldNotRun)
        }
    }

    /// Writes a baseline to a file that the user has named, which may hold an earlier one.
    ///
    /// - Parameter rules: The rules that were checked, whose entries are replaced; those of other checks are kept.
    func write(_ baseline: Baseline, to path: String, replacing rules: Set<RuleID>) throws(InputFailure) {
        try InputFailure.wrapping { () throws(FileSystemError) in
            try OutputDestination.requireFile(
                path, beginningWith: [Array(Baseline.header.utf8)], kind: "a baseline", environment.files)
        }
        var baseline = baseline
        if case .file(let size)? = environment.files.kind(of: path), size > 0 {
            baseline = baseline.keeping(try readBaseline(path), except: rules)
        }
        try write(baseline.text, to: path)
    }

    /// Writes a report to a file that the user has named.
    func write(_ text: String, to path: String) throws(InputFailure) {
        try InputFailure.wrapping { () throws(FileSystemError) in
            try SourceProtection(sources, files: environment.files).check(path)
            var transaction = OutputTransaction(files: environment.files)
            try transaction.write(path, Array(text.utf8))
            try transaction.commit()
        }
    }
}

extension DriverEnvironment {
    /// Writes a report to a file that the user has named.
    ///
    /// - Parameter sources: The files that were read, which the report must not replace.
    package func writeReport(_ text: String, to path: String, sources: [String]) throws(InputFailure) {
        try ReportOutput(environment: self, sources: sources).write(text, to: path)
    }
}
