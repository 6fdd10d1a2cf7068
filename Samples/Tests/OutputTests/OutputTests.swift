import Foundation
import Testing

/// Runs the samples as programs and compares their output with the files in `Expected`.
@Suite struct OutputTests {
    static let samples = ["Books", "Enroute", "Jokes", "PenCake", "ToDo"]

    @Test("Without a folder, a sample is launched twice in one of its own", arguments: samples)
    func printsTheExpectedOutputInItsOwnFolder(_ name: String) throws {
        #expect(try Self.run(name, []) == Self.expectedOutput(name))
    }

    @Test("In a given folder, the second process finds what the first one has saved", arguments: samples)
    func aSecondProcessReadsWhatTheFirstSaved(_ name: String) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let outputs = try (1...2).map { _ in try Self.run(name, [folder.path]) }
        #expect(outputs.joined() == (try Self.expectedOutput(name)))
    }

    private static func expectedOutput(_ name: String) throws -> String {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Expected")
        return try String(contentsOf: folder.appendingPathComponent("\(name).txt"), encoding: .utf8)
    }

    /// Returns the output of a sample. Throws if the sample fails.
    private static func run(_ name: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = try #require(folderOfPrograms).appendingPathComponent(name)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 0)
        return String(decoding: data, as: UTF8.self)
    }

    /// The folder in which SwiftPM builds programs: next to the test program on Linux, next to the test bundle on a
    /// Mac.
    private static var folderOfPrograms: URL? {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
        return (bundle?.bundleURL ?? Bundle.main.executableURL)?.deletingLastPathComponent()
    }
}
