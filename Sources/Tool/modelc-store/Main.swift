import CSQLite3
import ModelcDriver

/// The process entry point, which runs `ModelcStore`.
@main
enum Main {
    static func main() {
        // Migrations run on all cores; nothing here asks SQLite how much memory it uses.
        _ = modelc_sqlite3_disable_memory_statistics()
        DriverProcess.run("modelc-store") {
            ModelcStore.runProgram(Array(CommandLine.arguments.dropFirst()), in: $0)
        }
    }
}
