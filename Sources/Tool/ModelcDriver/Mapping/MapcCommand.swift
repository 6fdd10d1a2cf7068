internal import Diagnostics

/// `modelc mapc …`, and the program under the name `mapc`: the command line of Apple's mapping model compiler, so that
/// a build rule for `mapc` runs unchanged.
///
/// Messages have the form that build systems parse, `path: severity: text`. The exit code is 1 for any error, like
/// Apple's.
extension MapcCommand {
    package func run(in environment: DriverEnvironment) -> ExitCode { Self.run(arguments, in: environment) }

    /// Runs the command with the arguments that follow its name.
    package static func run(_ arguments: [String], in environment: DriverEnvironment) -> ExitCode {
        do throws(AppleCommandLine.InvalidArguments) {
            return run(try MapcArguments(arguments), environment)
        } catch {
            environment.errorLine("mapc: error: \(error.message)")
            return .findings
        }
    }

    private static func run(_ arguments: MapcArguments, _ environment: DriverEnvironment) -> ExitCode {
        func report(_ diagnostics: [Diagnostic]) {
            for diagnostic in diagnostics.sortedByLocation() where diagnostic.severity > .note {
                if diagnostic.severity == .warning, arguments.silencesWarnings { continue }
                var location = diagnostic.file ?? arguments.input
                if !diagnostic.concernsPath, let start = diagnostic.range?.start {
                    location += ":\(start.line):\(start.column)"
                }
                environment.errorLine(
                    "\(location): \(diagnostic.severity.word): \(diagnostic.message) [\(diagnostic.rule.rawValue)]")
            }
        }
        do throws(InputFailure) {
            let input = try MappingInputReader(files: environment.files).read(arguments.input)
            guard input.isSource else {
                throw InputFailure(
                    input.path, rule: .notAMappingModel, message: "this is a compiled mapping model",
                    help: "Specify the .xcmappingmodel that it was made from.")
            }
            let output = try MappingOutput(
                input.path, name: input.name, requested: arguments.output, files: environment.files)
            if arguments.isDryRun {
                environment.outputData(output.path + "\n")
                return .success
            }
            let compilation = MappingCompilation(input)
            report(compilation.diagnostics)
            guard let bytes = compilation.bytes else { return .findings }
            _ = try InputFailure.wrapping { () throws(FileSystemError) in
                try environment.files.writeIfChanged(output.path, bytes)
            }
            return .success
        } catch {
            report(error.diagnostics)
            return .findings
        }
    }
}

/// The command line of Apple's `mapc`, as build systems call it.
struct MapcArguments {
    var isDryRun = false
    var silencesWarnings = false
    var input = ""
    var output = ""

    /// Parses the arguments without the program's name. Options without effect here - SDK, deployment targets, the
    /// module - are accepted and ignored.
    init(_ arguments: [String]) throws(AppleCommandLine.InvalidArguments) {
        var line = AppleCommandLine(arguments)
        while let option = line.nextOption() {
            switch option {
            case "--dry-run": isDryRun = true
            case "--no-warnings", "--mapc-no-warnings", "-MAPC_NO_WARNINGS": silencesWarnings = true
            case "--sdkroot", "--module": try line.value()
            default: try line.ignore(definitions: "-XD_MAPC_")
            }
        }
        (input, output) = try line.inputAndOutput(
            usage: "mapc [options] <mapping model>.xcmappingmodel <output>.cdm")
    }
}
