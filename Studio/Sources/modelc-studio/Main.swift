import StudioServer

/// The process entry point.
@main
enum Main {
    static func main() async { await StudioProgram.main(server: FlyingFoxServer()) }
}
