import CoreData
import TestSupport
import Testing

/// Contexts that wait for each other, in a separate program (`Tests/Support/QueueStress`): its main thread is free, and
/// a deadlock affects only the program and not the tests.
@Suite struct QueueStressTests {
    private func run(_ arguments: [String]) throws -> (code: Int32, text: String) {
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let process = Process()
        let pipe = Pipe()
        process.executableURL = own.deletingLastPathComponent().appendingPathComponent("QueueStress")
        process.arguments = arguments
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    @Test(arguments: ["merge", "grandchildren", "upwards", "siblings", "coordinator", "observer"])
    func circularWaitsAreResolved(_ scenario: String) throws {
        let (code, text) = try run(["scenario", scenario])
        #expect(code == 0, "\(text)")
    }

    @Test(arguments: ["loop", "dispatch"])
    func randomContextTreesNeitherDeadlockNorLoseObjects(_ mode: String) throws {
        let seed = Seeds.first(3)
        let (code, text) = try run([mode, String(seed), String(Seeds.seconds ?? 1)])
        #expect(code == 0, "seed \(seed): \(text)")
    }
}
