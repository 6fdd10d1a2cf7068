import ModelcDriver

/// The program: the process around `ModelcStore`.
@main
enum Main {
    static func main() {
        DriverProcess.run("modelc-store") {
            ModelcStore.runProgram(Array(CommandLine.arguments.dropFirst()), in: $0)
        }
    }
}
