import ModelcDriver

/// The process entry point.
@main
enum Main {
    static func main() { Modelc.runProcess(CommandLine.arguments) }
}
