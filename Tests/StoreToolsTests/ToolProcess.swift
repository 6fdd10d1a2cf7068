import Foundation

/// A run of one of the programs that SwiftPM builds beside the tests.
enum ToolProcess {
    struct Result {
        var code: Int32
        var output: String
        var errorOutput: String
    }

    static func url(_ program: String) -> URL { Bundle.main.bundleURL.appendingPathComponent(program) }

    static func run(
        _ program: String, _ arguments: [String], in folder: URL, environment: [String: String] = [:]
    ) throws -> Result {
        let process = Process()
        process.executableURL = url(program)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(["CI": ""]) { $1 }.merging(environment) { $1 }
        let (output, errorOutput) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errorOutput
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let errorText = String(decoding: errorOutput.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return Result(code: process.terminationStatus, output: text, errorOutput: errorText)
    }
}
