import ArgumentParser
import Diagnostics
import FlyingFox
import ModelcDriver
import StudioSession

/// The root command of `modelc-studio`, which `modelc studio` runs.
struct ModelcStudio: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "modelc-studio",
        abstract: "Edits a Core Data model in the browser.",
        discussion: """
            Serves a page to browsers on this computer and prints its address, which has a secret in it. Edits are kept in a \
            journal in the cache folder until they are saved, and offered at the next start.

            EXAMPLES
              modelc studio Books.xcdatamodeld
              modelc studio Books.xcdatamodeld --port 8080 --no-open
              modelc studio Books.xcdatamodeld --read-only

            EXIT CODES
              0  Ended by the user.
              2  The command could not run: wrong arguments, no such file, not a
                 model, a port in use.
            """
    )

    @Argument(help: "An .xcdatamodeld, .xcdatamodel or contents file.", completion: .file())
    var model: String

    @Option(help: "The port. (default: a free one)")
    var port: UInt16 = 0

    @Flag(help: "Reject all edits.")
    var readOnly = false

    @Flag(help: "Print the address without opening a browser.")
    var noOpen = false

    func run() async throws {
        let files = POSIXFileSystem()
        let environment = SystemCalls.environment(files)
        let service: StudioServiceActor
        do throws(InputFailure) {
            service = try StudioServiceActor(
                path: model, journalFolder: SystemCalls.journalFolder, isReadOnly: readOnly, files: files)
        } catch {
            environment.report(error)
            throw ArgumentParser.ExitCode(ModelcDriver.ExitCode.couldNotRun.rawValue)
        }
        let server = StudioServer(service: service, token: SystemCalls.randomToken())
        do {
            try await server.run(port: port) { [model, noOpen] address in
                let environment = SystemCalls.environment(POSIXFileSystem())
                environment.outputData(address + "\n")
                environment.errorLine("modelc: serving “\(model)” until Ctrl-C is pressed")
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
    /// Prints why a model cannot be opened.
    fileprivate func report(_ failure: InputFailure) {
        let reporter = TextReporter(usesColor: usesColor)
        for diagnostic in failure.diagnostics {
            errorOutput(
                reporter.text(for: diagnostic, lines: diagnostic.file.flatMap { failure.lines[$0] }), isStyled: true)
        }
    }
}
