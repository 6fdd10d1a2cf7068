package import ArgumentParser
internal import Diagnostics

/// `modelc mcp`: serves checks and views of models to coding agents.
package struct MCPCommand: DriverCommand {
    package static let configuration = CommandConfiguration(
        commandName: "mcp",
        abstract: "Serve checks and views of models to coding agents over standard input and output.",
        discussion: """
            A server of the Model Context Protocol (https://modelcontextprotocol.io) with the transport stdio: each line of \
            standard input is a JSON-RPC message, and each line of standard output an answer. The workspace is the working \
            directory. The server keeps no state, uses no network, and reads and writes only inside the workspace. Only the \
            tool apply_fix writes.

            TOOLS
              check, explain, inspect, diff, migrate_plan, hash, generate_preview, apply_fix

            RESOURCES
              The models of the workspace as text.

            EXAMPLE
              claude mcp add modelc -- modelc mcp
            """
    )

    package init() {}

    /// Serves until standard input ends.
    package func run(in environment: DriverEnvironment) -> ExitCode {
        let server = MCPServer(files: environment.files)
        while let line = environment.nextInputLine() {
            // JSON escapes everything that could control a terminal.
            if let answer = server.answer(to: line) { environment.outputCommands(answer + "\n") }
        }
        return .success
    }
}
