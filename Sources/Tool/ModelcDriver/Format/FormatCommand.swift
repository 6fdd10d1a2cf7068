internal import Diagnostics
internal import ModelSource

extension FormatCommand {
    /// Runs the command. A file that cannot be read as a whole is reported and left alone; the others are formatted.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            let path = RunSettings.nearestConfiguration(environment.files)
            let settings = try RunSettings(configurationPath: path, environment.files)
            var finder = ModelFinder(files: environment.files) { settings.isIncluded($0) }
            finder.isIncludedModel = { settings.isIncluded(model: $0) }
            let found = try finder.find(search.paths)
            printer.print(found.problems)
            var run = Run(environment: environment, printer: printer)
            var skipsSources = false
            for path in found.paths {
                // “check” and “lint” take Swift sources too, so that lists of paths contain them.
                if path.hasSuffix(".swift"), case .file? = environment.files.kind(of: path) {
                    let name = DisplayText.line(path)
                    environment.errorLine("modelc: skipped \(name): the format is that of models, not of Swift sources")
                    skipsSources = true
                } else {
                    run.format(path)
                }
            }
            printer = run.printer
            guard run.fileCount > 0 || printer.errorCount > 0 || skipsSources else {
                throw ModelFinder.noModels(below: search.paths)
            }
            return try finish(run, printer: &printer, environment: environment)
        }
    }

    private func finish(
        _ run: Run, printer: inout DiagnosticPrinter, environment: DriverEnvironment
    ) throws(InputFailure) -> ExitCode {
        let changes = run.changes
        if showsDiff {
            for change in changes {
                environment.outputPatch(
                    String(decoding: SourceText(change.old).utf8, as: UTF8.self),
                    String(decoding: SourceText(change.new).utf8, as: UTF8.self), of: change.path)
            }
        }
        if isCheck {
            printer.print(changes.map { LayoutFinding.finding(of: $0.path, $0.old, formatted: $0.new) })
        } else if !showsDiff {
            try InputFailure.wrapping { () throws(FileSystemError) in
                var transaction = OutputTransaction(files: environment.files)
                for change in changes { try transaction.write(change.path, change.new, expecting: change.old) }
                try transaction.commit()
            }
        }
        let verb = isCheck || showsDiff ? "would change" : "changed"
        let files = "\(counted(run.fileCount, "file"))"
        environment.errorLine("modelc: \(verb) \(changes.count) of \(files)")
        return printer.errorCount > 0 ? .findings : .success
    }

    /// The formatting of a list of models.
    private struct Run {
        /// A file that is not laid out as it should be.
        struct Change {
            var path: String
            var old: [UInt8]
            var new: [UInt8]
        }

        let environment: DriverEnvironment
        var printer: DiagnosticPrinter
        var changes: [Change] = []
        var fileCount = 0

        private var reader: ModelInputReader { ModelInputReader(files: environment.files) }

        /// Formats a bundle, a version or a file.
        mutating func format(_ path: String) {
            let files = environment.files
            guard files.kind(of: path) == .directory else { return formatFile(path) }
            guard path.hasSuffix(ModelInputReader.bundleExtension) else {
                return formatFile(PathName.joined(path, "contents"))
            }
            do throws(InputFailure) {
                let bundle = try reader.openBundle(path)
                printer.print(bundle.skippedVersionWarnings)
                for name in bundle.versionNames {
                    let folder = PathName.joined(path, name + ModelInputReader.modelExtension)
                    formatFile(PathName.joined(folder, "contents"))
                }
                if let file = bundle.currentVersionFile { formatFile(file.path) }
            } catch {
                take(error)
            }
        }

        private mutating func formatFile(_ path: String) {
            guard case .file(let size)? = environment.files.kind(of: path) else {
                // A model of Xcode 3 or an empty folder, which the reader reports.
                do throws(InputFailure) {
                    _ = try reader.readModelFolder(PathName.parent(of: path))
                } catch {
                    take(error)
                }
                return
            }
            fileCount += 1
            do throws(InputFailure) {
                let old = try reader.bytes(of: path, size: size)
                let new = try formatted(old, path)
                // Git may have changed the line ends.
                if !TextLines.areEqual(old, new) { changes.append(Change(path: path, old: old, new: new)) }
            } catch {
                take(error)
            }
        }

        private func formatted(_ bytes: [UInt8], _ path: String) throws(InputFailure) -> [UInt8] {
            if PathName.name(of: path) == ".xccurrentversion" {
                var excerpts = ExcerptRule(files: environment.files)
                guard excerpts.mayShow(path) else { return bytes }
                return CurrentVersionFile(bytes: bytes, path: path).formatted() ?? bytes
            }
            do throws(ModelFormatter.CannotFormat) {
                return try ModelFormatter.format(bytes, path: path)
            } catch {
                var excerpts = ExcerptRule(files: environment.files)
                throw InputFailure(
                    diagnostics: excerpts.withoutForeignText(error.diagnostics).map(Self.asError),
                    lines: error.lines.map { [path: $0] } ?? [:],
                    exitCode: .findings)
            }
        }

        /// Returns the diagnostic as an error, since the file was not formatted.
        private static func asError(_ diagnostic: Diagnostic) -> Diagnostic {
            var result = diagnostic
            result.severity = .error
            return result
        }

        private mutating func take(_ failure: InputFailure) {
            for (path, lines) in failure.lines { printer.addLines(lines, of: path) }
            printer.print(failure.diagnostics)
        }
    }
}
