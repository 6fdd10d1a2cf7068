import ModelcDriver

/// The process entry point, which runs `ModelcStore`.
@main
enum Main {
    static func main() {
        DriverProcess.run("modelc-store") {
            ModelcStore.runProgram(Array(CommandLine.arguments.dropFirst()), in: $0)
        }
    }
}
