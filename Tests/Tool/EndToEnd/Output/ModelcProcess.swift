import Foundation
import Testing

/// A run of the program as a separate process.
struct ModelcProcess {
    /// The exit status of a process and its output, unless redirected.
    struct Result {
        /// The exit status as in a shell: the exit code, or 128 plus the number of the signal.
        var code: Int32
        var output = ""
        var errorOutput = ""
    }

    /// The program, which SwiftPM builds next to the tests.
    static let program = Bundle.main.bundleURL.appendingPathComponent("modelc")

    private let process = Process()
    private let output = Pipe()
    private let errorOutput = Pipe()

    /// Creates a run of `/bin/sh`, in which `"$@"` is the program with its arguments.
    init(script: String = "exec \"$@\"", _ arguments: [String], in folder: URL, environment: [String: String] = [:]) {
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script, "sh", Self.program.path] + arguments
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(["CI": ""]) { $1 }.merging(environment) { $1 }
        process.standardOutput = output
        process.standardError = errorOutput
    }

    func start() throws {
        // The threads of tests block all signals, and a process inherits the signal mask of the thread that starts it.
        var (none, previous) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &previous)
        defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
        try process.run()
    }

    var isRunning: Bool { process.isRunning }

    func send(_ signal: Int32) {
        kill(process.processIdentifier, signal)
    }

    func finish() -> Result {
        // In these tests, neither stream exceeds the capacity of a pipe.
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let errorText = String(decoding: errorOutput.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let status = process.terminationStatus
        return Result(
            code: process.terminationReason == .uncaughtSignal ? 128 + status : status, output: text,
            errorOutput: errorText)
    }

    static func run(
        script: String = "exec \"$@\"", _ arguments: [String], in folder: URL, environment: [String: String] = [:]
    ) throws -> Result {
        let process = ModelcProcess(script: script, arguments, in: folder, environment: environment)
        try process.start()
        return process.finish()
    }
}
