internal import Diagnostics

extension StoreCommand {
    /// The name of the program.
    private static let program = "modelc-store"
    /// The environment variable that names the program.
    package static let variable = "MODELC_STORE"

    /// Runs the program and returns its exit code.
    package func run(in environment: DriverEnvironment) -> ExitCode { Self.run(arguments, in: environment) }

    /// Runs the program with arguments.
    package static func run(_ arguments: [String], in environment: DriverEnvironment) -> ExitCode {
        let path = SiblingProgram(name: program, variable: variable).locate(environment.files)
        do throws(ChildProcess.Failure) {
            // Its output goes to modelc, which escapes what is displayed.
            let result = try ChildProcess.run([path] + arguments, removing: ["CI"])
            environment.outputData(String(decoding: result.output, as: UTF8.self))
            environment.errorOutput(result.errorOutput)
            if let code = ExitCode(rawValue: result.exitCode) { return code }
            environment.errorLine("modelc: error: \(Self.program) exited with code \(result.exitCode)")
            return .couldNotRun
        } catch {
            return environment.run { _ throws(InputFailure) in throw failure(error, path) }
        }
    }

    private static func failure(_ failure: ChildProcess.Failure, _ path: String) -> InputFailure {
        InputFailure(
            diagnostics: [
                Diagnostic(
                    .error, rule: .missingTool,
                    failure.isMissing ? "“\(path)” was not found" : "“\(path)” cannot be run: \(failure.reason)",
                    why: "`modelc store` runs it, so that modelc itself does not contain the Core Data runtime.",
                    help:
                        "Build it with `swift build --product \(program)` in modelc's folder, and put it beside modelc or in "
                        + "PATH, or name it in the environment variable \(variable).")
            ],
            exitCode: .couldNotRun)
    }
}
