#if Studio
import ArgumentParser
import Diagnostics
import ModelcDriver
import StudioSession

extension ModelcStudio {
    /// Serves the model until the user terminates the program.
    func serve() async throws {
        let files = POSIXFileSystem()
        let environment = SystemCalls.environment(files)
        var service: StudioServiceActor?
        do throws(InputFailure) {
            if let model {
                service = try StudioServiceActor(
                    path: model, journalFolder: SystemCalls.journalFolder, isReadOnly: readOnly, files: files)
            }
        } catch {
            environment.report(error)
            throw ArgumentParser.ExitCode(ModelcDriver.ExitCode.couldNotRun.rawValue)
        }
        let storeService = store.map { path in
            StoreServiceActor(
                path: path, modelPath: model, journalFolder: SystemCalls.journalFolder, isWritable: writable,
                isReadOnly: readOnly, files: files)
        }
        let server = StudioServer(
            service: service, store: StoreRoutes(service: storeService), token: SystemCalls.randomToken())
        do {
            try await server.run(port: port) {
                [shown = [model, store].compactMap(\.self).joined(separator: "”, “"), noOpen] address in
                let environment = SystemCalls.environment(POSIXFileSystem())
                environment.outputData(address + "\n")
                environment.errorLine("modelc: serving “\(shown)” until Ctrl-C is pressed")
                if !noOpen { SystemCalls.openBrowser(address) }
            }
        } catch {
            let isInUse = "\(error)".contains("98") || "\(error)".lowercased().contains("in use")
            environment.errorLine(
                isInUse
                    ? "modelc: error: the port \(port) is in use; choose another one with --port"
                    : "modelc: error: the server stopped: \(error)")
            throw ArgumentParser.ExitCode(ModelcDriver.ExitCode.couldNotRun.rawValue)
        }
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
#endif
