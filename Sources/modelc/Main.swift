import ModelcDriver

/// The program: the process around `Modelc.run`.
@main
enum Main {
    static func main() {
        var arguments = Array(CommandLine.arguments.dropFirst())
        // Under the name of a compiler of Apple it is that compiler.
        if let name = CommandLine.arguments.first?.split(separator: "/").last, name == "momc" || name == "mapc" {
            arguments.insert(String(name), at: 0)
        }
        DriverProcess.run("modelc") { Modelc.run(arguments: arguments, in: $0) }
    }
}
