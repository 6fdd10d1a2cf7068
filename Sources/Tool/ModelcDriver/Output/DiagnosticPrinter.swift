package import Diagnostics

/// Prints findings to the error stream, and counts them.
package struct DiagnosticPrinter {
    private let environment: DriverEnvironment
    private let reporter: TextReporter
    private var lines: [String: LineIndex] = [:]
    private var excerpts: ExcerptRule
    private(set) var errorCount = 0

    /// The maximum number of findings that are printed; the rest are counted.
    private static let limit = 500

    init(_ environment: DriverEnvironment) {
        self.environment = environment
        reporter = TextReporter(usesColor: environment.usesColor)
        excerpts = ExcerptRule(files: environment.files)
    }

    /// Adds the lines of a file, for excerpts.
    package mutating func addLines(_ index: LineIndex, of path: String) {
        lines[path] = index
    }

    /// Prints findings in the order of the files. If there are too many, the most severe ones are printed.
    ///
    /// - Parameter includesNotes: Whether notes are printed too.
    package mutating func print(_ diagnostics: [Diagnostic], includesNotes: Bool = true) {
        var requested = diagnostics.filter { includesNotes || $0.severity > .note }.sortedByLocation()
        errorCount += requested.count { $0.severity == .error }
        let surplus = requested.count - Self.limit
        if surplus > 0 {
            let ranked = requested.enumerated().sorted {
                ($1.element.severity, $0.offset) < ($0.element.severity, $1.offset)
            }
            requested = ranked.prefix(Self.limit).sorted { $0.offset < $1.offset }.map(\.element)
        }
        for diagnostic in requested {
            var excerpt: LineIndex?
            if let file = diagnostic.file, let index = lines[file], excerpts.mayShow(file) { excerpt = index }
            environment.errorOutput(reporter.text(for: diagnostic, lines: excerpt), isStyled: environment.usesColor)
        }
        if surplus > 0 { environment.errorLine("modelc: \(surplus) more findings are not shown") }
    }
}

extension DriverEnvironment {
    /// Runs the body of a command with a printer. If it throws, prints the failure and returns its exit code.
    package func run(_ body: (inout DiagnosticPrinter) throws(InputFailure) -> ExitCode) -> ExitCode {
        var printer = DiagnosticPrinter(self)
        do throws(InputFailure) {
            return try body(&printer)
        } catch {
            for (path, lines) in error.lines { printer.addLines(lines, of: path) }
            printer.print(error.diagnostics)
            return error.exitCode
        }
    }
}
