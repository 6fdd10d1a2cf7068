import ArgumentParser
import ModelcDriver

/// The process entry point.
@main
enum Main {
    static func main() async {
        // A closed connection must not terminate the server.
        SystemCalls.ignoreClosedPipes()
        await ModelcStudio.main(nil)
    }
}
