internal import Diagnostics
internal import ModelSchema
internal import ModelSource

extension MergeDriverCommand {
    /// Runs the command. `findings` means that there are conflicts, which are marked in our file.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        environment.run { printer throws(InputFailure) in
            let path = shownPath ?? oursPath
            let base = try environment.files.readInput(basePath)
            let ours = try environment.files.readInput(oursPath)
            let theirs = try environment.files.readInput(theirsPath)
            if let other = try mergeOtherFile(
                base: base, ours: ours, theirs: theirs, path: path, files: environment.files)
            {
                if other.bytes != ours { try write(other.bytes, over: ours, environment) }
                printer.print(other.conflicts)
                return other.conflicts.isEmpty ? .success : .findings
            }
            var markers = ConflictMarkerStyle()
            (markers.size, markers.ours, markers.theirs) = (markerSize, oursLabel, theirsLabel)
            let result: ModelMerger.Result
            do throws(ModelFormatter.CannotFormat) {
                result = try ModelMerger.merge(base: base, ours: ours, theirs: theirs, path: path, markers: markers)
            } catch {
                if let lines = error.lines { printer.addLines(lines, of: path) }
                printer.print(error.diagnostics)
                try writeBoth(
                    ours, theirs: theirs, markers: markers, path: path, printer: &printer, environment: environment)
                return .findings
            }
            if result.bytes != ours { try write(result.bytes, over: ours, environment) }
            guard result.conflicts.isEmpty else {
                printer.print(
                    result.conflicts.map { conflict in
                        Diagnostic(
                            .error, rule: .mergeConflict, conflict, file: path, range: nil,
                            help: "Decide between the markers in the file.")
                    })
                return .findings
            }
            let broken = Self.newProblems(result.bytes, [ours, theirs], path: path)
            if !broken.isEmpty { printer.addLines(LineIndex(SourceText(result.bytes).utf8), of: path) }
            printer.print(broken)
            return broken.isEmpty ? .success : .findings
        }
    }

    /// Writes both versions as a whole to our file, between conflict markers. If one file cannot hold both, ours is
    /// kept.
    private func writeBoth(
        _ ours: [UInt8], theirs: [UInt8], markers: ConflictMarkerStyle, path: String,
        printer: inout DiagnosticPrinter, environment: DriverEnvironment
    ) throws(InputFailure) {
        let both: [UInt8]
        do throws(SourceText.CannotEncode) {
            both = try ModelMerger.undecided(ours: ours, theirs: theirs, markers: markers)
        } catch {
            return printer.print([error.diagnostic(path: path)])
        }
        try write(both, over: ours, environment)
        environment.errorLine(
            "modelc: the versions of \(path) could not be merged; the file contains both versions in full")
    }

    /// Returns the errors of a merged model that neither side has: the sides merge as text, but not as a model.
    private static func newProblems(_ merged: [UInt8], _ sides: [[UInt8]], path: String) -> [Diagnostic] {
        func problems(_ bytes: [UInt8]) -> [Diagnostic] {
            let document = try? ModelDocument(bytes: bytes, path: path, name: "merged")
            return document?.diagnostics(at: .compiles).filter { $0.severity == .error } ?? []
        }
        let inputMessages = Set(sides.flatMap { problems($0).map(\.message) })
        return problems(merged).filter { !inputMessages.contains($0.message) }
    }

    /// Replaces our version, which must not have changed since it was read.
    private func write(
        _ bytes: [UInt8], over ours: [UInt8], _ environment: DriverEnvironment
    ) throws(InputFailure) {
        try InputFailure.wrapping { () throws(FileSystemError) in
            var transaction = OutputTransaction(files: environment.files)
            try transaction.write(oursPath, bytes, expecting: ours)
            try transaction.commit()
        }
    }
}
