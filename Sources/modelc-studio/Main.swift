import ArgumentParser
import ModelcDriver

/// The program.
@main
enum Main {
    static func main() async {
        // A closed connection must not end the server.
        SystemCalls.ignoreClosedPipes()
        await ModelcStudio.main(nil)
    }
}
