internal import ModelcDriver
internal import StoreTools

/// The one executable of a release: `modelc` with the programs that it otherwise runs from other files.
public enum WholeProgram {
    /// Runs the program by whose name the process was called, and ends the process.
    ///
    /// `modelc store` and `modelc studio` call this executable again, as `modelc-store` and `modelc-studio`. The
    /// commands that connect to PostgreSQL remain in another executable, which needs libpq.
    ///
    /// - Parameter server: The server that delivers the studio's page and its requests.
    public static func main(server: some WebServer) async {
        let call = CommandLine.arguments
        switch call.first?.split(separator: "/").last {
        case "modelc-store": ModelcStore.runProcess(call)
        case "modelc-studio": await StudioProgram.main(server: server)
        default: Modelc.runProcess(call, containedPrograms: ["modelc-store", "modelc-studio"])
        }
    }
}
