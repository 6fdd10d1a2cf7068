import ModelcDriver

/// The process entry point, which calls `Modelc.run`.
@main
enum Main {
    static func main() {
        var arguments = Array(CommandLine.arguments.dropFirst())
        // When invoked by the name of one of Apple's compilers, act as that compiler.
        if let name = CommandLine.arguments.first?.split(separator: "/").last, name == "momc" || name == "mapc" {
            arguments.insert(String(name), at: 0)
        }
        DriverProcess.run("modelc") { Modelc.run(arguments: arguments, in: $0) }
    }
}
