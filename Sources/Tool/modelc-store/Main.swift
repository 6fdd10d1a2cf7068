import StoreTools

/// The process entry point.
@main
enum Main {
    static func main() { ModelcStore.runProcess(CommandLine.arguments) }
}
