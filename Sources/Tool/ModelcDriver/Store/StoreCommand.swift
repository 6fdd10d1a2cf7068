internal import Diagnostics

extension StoreCommand {
    /// The name of the program.
    private static let program = "modelc-store"
    /// The environment variable that names the program.
    package static let variable = "MODELC_STORE"
    /// The program with the client for PostgreSQL.
    private static let databaseProgram = (name: "modelc-postgresql", variable: "MODELC_POSTGRESQL")

    /// Returns whether arguments are those of a command that connects to a database.
    private static func connects(_ arguments: [String]) -> Bool {
        if arguments.first == "copy" { return arguments.contains(where: isDatabase) }
        guard arguments.first == "sql" else { return false }
        return ["apply", "status"].contains(arguments.dropFirst().first)
            || arguments.contains { $0 == "--database" || $0.hasPrefix("--database=") }
    }

    /// Returns whether a text is the URL of a database rather than the path of a store.
    package static func isDatabase(_ text: String) -> Bool {
        text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    }

    /// Runs the program and returns its exit code.
    package func run(in environment: DriverEnvironment) -> ExitCode { Self.run(arguments, in: environment) }

    /// Runs the program with arguments.
    package static func run(_ arguments: [String], in environment: DriverEnvironment) -> ExitCode {
        let (program, variable) = connects(arguments) ? databaseProgram : (Self.program, Self.variable)
        let (path, name) = SiblingProgram(name: program, variable: variable).locate(in: environment)
        do throws(ChildProcess.Failure) {
            // Its output goes to modelc, which escapes what is displayed.
            var rest: [UInt8] = []
            let result = try ChildProcess.run([name] + arguments, executable: path, removing: ["CI"]) { part in
                // A part may end within a character.
                let bytes = rest + part
                let end = completeCount(bytes)
                rest = Array(bytes[end...])
                environment.outputData(String(decoding: bytes[..<end], as: UTF8.self))
                return !environment.outputHasFailed()
            }
            environment.outputData(String(decoding: rest, as: UTF8.self))
            // The process reports why nothing more could be written.
            if environment.outputHasFailed() { return .couldNotRun }
            environment.errorOutput(result.errorOutput)
            if let code = ExitCode(rawValue: result.exitCode) { return code }
            environment.errorLine("modelc: error: \(program) exited with code \(result.exitCode)")
            return .couldNotRun
        } catch {
            return environment.run { _ throws(InputFailure) in
                throw failure(error, path: path, program: program, variable: variable)
            }
        }
    }

    /// Returns the number of bytes before a character that is not complete.
    private static func completeCount(_ bytes: [UInt8]) -> Int {
        for length in 1...4 where length <= bytes.count {
            let byte = bytes[bytes.count - length]
            guard byte >= 0x80 else { return bytes.count }
            guard byte >= 0xC0 else { continue }
            let needed = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2
            return needed > length ? bytes.count - length : bytes.count
        }
        return bytes.count
    }

    private static func failure(
        _ failure: ChildProcess.Failure, path: String, program: String, variable: String
    ) -> InputFailure {
        InputFailure(
            diagnostics: [
                Diagnostic(
                    .error, rule: .missingTool,
                    failure.isMissing ? "“\(path)” was not found" : "“\(path)” cannot be run: \(failure.reason)",
                    why: program == Self.program
                        ? "`modelc store` runs it, so that modelc itself does not contain the Core Data runtime."
                        : "Commands that connect to a database run it, because it needs libpq.",
                    help:
                        "Build it with `swift build --product \(program)` in modelc's folder, and put it beside modelc or in "
                        + "PATH, or name it in the environment variable \(variable).")
            ],
            exitCode: .couldNotRun)
    }
}
