import Foundation

/// Runs the programs that SwiftPM builds next to the tests.
enum ToolProcess {
    struct Result {
        var code: Int32
        var output: String
        var errorOutput: String
    }

    static func url(_ program: String) -> URL { Bundle.main.bundleURL.appendingPathComponent(program) }

    /// Whether permissions can be tested: `run(…, unprivileged: true)` runs a program to which they apply.
    static var runsUnprivileged: Bool {
        guard geteuid() == 0 else { return true }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: setpriv[0])
        // The program, and the folder of the tests' files, which a system may close to other users.
        process.arguments =
            setpriv.dropFirst() + [
                "/usr/bin/test", "-x", url("modelc-store").path, "-a", "-x",
                FileManager.default.temporaryDirectory.path,
            ]
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    private static let setpriv = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

    /// - Parameters:
    ///   - kilobytes: The maximum size of files written by the program, as on a full disk.
    ///   - unprivileged: Whether to run the program as another user if this one is the superuser.
    static func run(
        _ program: String, _ arguments: [String], in folder: URL, environment: [String: String] = [:],
        kilobytes: Int? = nil, unprivileged: Bool = false
    ) throws -> Result {
        let process = Process()
        process.executableURL = url(program)
        process.arguments = arguments
        if let kilobytes {
            // A write to a file that must not grow fails instead of terminating the program.
            let script = "ulimit -f \(kilobytes) && trap '' XFSZ && exec \"$0\" \"$@\""
            process.executableURL = URL(fileURLWithPath: "/bin/bash")
            process.arguments = ["-c", script, url(program).path] + arguments
        }
        if unprivileged, geteuid() == 0 {
            process.executableURL = URL(fileURLWithPath: setpriv[0])
            process.arguments = setpriv.dropFirst() + [url(program).path] + arguments
        }
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
