import CoreData
import Testing

/// The program `StoreWriter`, which writes into a store as another process.
final class WriterProcess {
    private let process = Process()
    private let pipe = Pipe()

    init(_ arguments: String...) throws {
        // Executables stand beside the tests.
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.executableURL = own.deletingLastPathComponent().appendingPathComponent("StoreWriter")
        process.arguments = arguments
        process.standardOutput = pipe
        try process.run()
    }

    /// Kills the program after a time, and gives what it has said.
    func kill(after seconds: Double) -> [String] {
        Thread.sleep(forTimeInterval: seconds)
        Foundation.kill(process.processIdentifier, SIGKILL)
        return finish().lines
    }

    /// Waits until the program ends.
    func finish() -> (code: Int32, lines: [String]) {
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        // A line that was cut off says nothing.
        let text = String(decoding: output, as: UTF8.self)
        return (process.terminationStatus, text.components(separatedBy: "\n").dropLast().map { $0 })
    }

    /// The model that the program uses, as the file has it.
    static func model(of url: URL, in folder: URL) throws -> NSManagedObjectModel {
        let archive = try TestStore.modelArchive(url)
        let file = folder.appendingPathComponent("Model.mom")
        try archive.write(to: file)
        return try #require(NSManagedObjectModel(contentsOf: file))
    }
}
