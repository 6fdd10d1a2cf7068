import StudioServer

/// The process entry point. The executable of a release is this one, installed as `modelc`.
@main
enum Main {
    static func main() async { await WholeProgram.main(server: FlyingFoxServer()) }
}
