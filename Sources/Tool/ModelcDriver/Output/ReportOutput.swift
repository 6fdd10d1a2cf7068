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
        try InputFailure.wrapping { () throws(FileSystemError) in try requireSeparateFiles(outputs) }
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

    /// Throws if two reports have the same file, or one would replace a file that commands read.
    private func requireSeparateFiles(_ outputs: [Destination]) throws(FileSystemError) {
        let files = environment.files
        var seen: Set<String> = []
        for path in outputs.compactMap(\.path) {
            if case .other? = files.kind(of: path) { continue }
            guard seen.insert(files.fullPath(path) ?? path).inserted else {
                throw OutputDestination.rejection(path, "two reports have this file")
            }
            guard case .file(let size)? = files.kind(of: path), size > 0 else { continue }
            let name = PathName.name(of: path)
            let head = try files.readHead(path, count: 64)
            guard name != RunSettings.fileName, name != LockFile.defaultName, !name.hasSuffix(".swift"),
                !Baseline.beginnings.contains(where: { head.starts(with: $0) })
            else { throw OutputDestination.rejection(path, "it is a file that modelc reads, and not a report") }
        }
    }

    /// Reads a baseline.
    ///
    /// - Parameter location: The place in the settings that names the file; `nil` if the command line does.
    func readBaseline(
        _ path: String, namedAt location: (file: String, range: SourceRange)? = nil
    ) throws(InputFailure) -> Baseline {
        let files = environment.files
        if let location, files.kind(of: path) == nil {
            throw InputFailure(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .noSuchFile, "the baseline “\(path)” does not exist", file: location.file,
                        range: location.range, help: "Write it with --write-baseline, or correct the path.")
                ],
                lines: [location.file: LineIndex(try files.readInput(location.file))], exitCode: .couldNotRun)
        }
        let bytes = try files.readInput(path)
        do throws(Baseline.Malformed) {
            return try Baseline(text: String(decoding: bytes, as: UTF8.self))
        } catch {
            let start = SourcePosition(line: error.line, column: 1)
            throw InputFailure(
                diagnostics: [
                    Diagnostic(
                        .error, rule: .malformedBaseline, error.message, file: path,
                        range: SourceRange(start: start, end: start),
                        help: "Restore the line from version control. To begin "
                            + "again, remove the file and use --write-baseline.")
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
                path, beginningWith: Baseline.beginnings, kind: "a baseline", environment.files)
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
