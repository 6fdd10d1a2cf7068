internal import ArgumentParser
internal import Diagnostics
internal import Foundation
internal import ModelcDriver

/// The program `modelc-studio`, which `modelc studio` runs.
public enum StudioProgram {
    /// Parses the process's arguments and serves until the user terminates the program.
    ///
    /// Ends the process with the exit codes that `--help` lists.
    ///
    /// - Parameter server: The server that delivers the page and its requests.
    public static func main(server: some WebServer) async {
        // A closed connection must not terminate the server.
        SystemCalls.ignoreClosedPipes()
        do {
            let program = try ModelcStudio.parse()
            guard let session = ServerSession.current() else { throw try supervise() }
            try await program.serve(session, on: server)
        } catch {
            ModelcStudio.exit(withError: error)
        }
    }

    /// Runs the server in another process until it ends.
    ///
    /// - Returns: The exit code.
    private static func supervise() throws -> ArgumentParser.ExitCode {
        let environment = SystemCalls.environment(POSIXFileSystem())
        do {
            guard let executable = Bundle.main.executablePath else { throw POSIXError(.ENOENT) }
            let supervisor = Supervisor(executable: executable, arguments: CommandLine.arguments)
            let code = try supervisor.run(
                token: SystemCalls.randomToken(), errorLine: { environment.errorLine($0) })
            return ArgumentParser.ExitCode(code)
        } catch {
            environment.errorLine("modelc: error: the studio’s server cannot be started: \(error)")
            return ArgumentParser.ExitCode(ModelcDriver.ExitCode.couldNotRun.rawValue)
        }
    }
}

extension ModelcStudio {
    /// Serves the model until the user terminates the program.
    fileprivate func serve(_ session: ServerSession, on server: some WebServer) async throws {
        let isRestarted = session.count > 0
        let files = POSIXFileSystem()
        let environment = SystemCalls.environment(files)
        var service: EditorServiceActor?
        do throws(InputFailure) {
            if let model {
                if !readOnly, ModelFileSet.canCreate(model, files: files) { try createModel(model, files, environment) }
                service = try EditorServiceActor(
                    path: model, journalFolder: SystemCalls.journalFolder, isReadOnly: readOnly,
                    isRestarted: isRestarted, files: files)
            }
        } catch {
            environment.report(error)
            throw ArgumentParser.ExitCode(ModelcDriver.ExitCode.couldNotRun.rawValue)
        }
        let storeService = store.map { path in
            StoreServiceActor(
                path: path, modelPath: model, journalFolder: SystemCalls.journalFolder, isWritable: writable,
                isReadOnly: readOnly, escapesFormulas: safeCSV, isRestarted: isRestarted, files: files)
        }
        let token = session.token
        let secret = SystemCalls.randomToken()
        let routes = StudioRoutes(
            service: service, store: StoreRoutes(service: storeService), token: token,
            invitation: Invitation(secret: secret))
        let shown = [model, store].compactMap(\.self).joined(separator: "”, “")
        let port = session.port > 0 ? session.port : port ?? 0
        do {
            try await server.run(port: port) { [noOpen] port, folder in
                session.announce(port: port, folder: folder)
                guard !isRestarted else {
                    return SystemCalls.environment(POSIXFileSystem()).errorLine(
                        "modelc: the studio ended unexpectedly, and was started again")
                }
                let address = "http://127.0.0.1:\(port)/\(token)/"
                let environment = SystemCalls.environment(POSIXFileSystem())
                environment.outputData(address + "\n")
                environment.errorLine("modelc: serving “\(shown)” until Ctrl-C is pressed")
                if !noOpen { SystemCalls.openBrowser("http://127.0.0.1:\(port)/\(secret)/") }
            } respond: { request, port in
                await routes.respond(to: request, port: port)
            }
        } catch {
            environment.errorLine(
                error as? WebServerError == .portIsInUse
                    ? "modelc: error: the port \(port) is in use; choose another one with --port"
                    : "modelc: error: the server stopped: \(error)")
            throw ArgumentParser.ExitCode(ModelcDriver.ExitCode.couldNotRun.rawValue)
        }
    }
}

extension ModelcStudio {
    /// Creates a model if the user wants it; otherwise, opening it fails.
    private func createModel(
        _ path: String, _ files: any FileSystem, _ environment: DriverEnvironment
    ) throws(InputFailure) {
        if !create {
            let question = "modelc: “\(path)” does not exist; create it? [y/N] "
            guard let answer = SystemCalls.answer(to: question, environment) else {
                environment.errorLine("modelc: “\(path)” does not exist; --create creates it")
                return
            }
            guard ["y", "yes"].contains(answer.lowercased()) else { return }
        }
        try ModelFileSet.create(path, files: files)
        environment.errorLine("modelc: created “\(path)”")
    }
}

extension DriverEnvironment {
    /// Prints the diagnostics of a model that cannot be opened.
    fileprivate func report(_ failure: InputFailure) {
        let reporter = TextReporter(usesColor: usesColor)
        for diagnostic in failure.diagnostics {
            errorOutput(
                reporter.text(for: diagnostic, lines: diagnostic.file.flatMap { failure.lines[$0] }), isStyled: true)
        }
    }
}
