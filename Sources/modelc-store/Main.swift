import ModelcDriver

/// The program: the process around `ModelcStore.run`.
@main
enum Main {
    static func main() {
        DriverProcess.run("modelc-store") {
            ModelcStore.run(arguments: Array(CommandLine.arguments.dropFirst()), in: $0)
        }
    }
}
