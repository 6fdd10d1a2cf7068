import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A failure of a program.
struct CommandFailure: Error, CustomStringConvertible {
    var description: String
}

/// Runs programs with as little overhead as possible.
enum Subprocess {
    /// Runs a program, discarding its output, and returns its duration in seconds.
    ///
    /// - Parameter mayFind: Whether exit code 1 is accepted, which means that there were findings.
    static func time(_ path: String, _ arguments: [String], mayFind: Bool = false) throws -> Double {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        let start = ContinuousClock.now
        var process = pid_t()
        guard posix_spawn(&process, path, &actions, nil, &words, environ) == 0 else {
            throw CommandFailure(description: "cannot run \(path); xmllint comes with `apt-get install libxml2-utils`")
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let seconds = (ContinuousClock.now - start).seconds
        guard status == 0 || (mayFind && status >> 8 == 1) else {
            throw CommandFailure(
                description: "\(([path] + arguments).joined(separator: " ")) ended with \(status >> 8)")
        }
        return seconds
    }

    /// Runs a program found in the path, showing its messages, and returns its output.
    @discardableResult
    static func output(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw CommandFailure(
                description: "\(arguments.joined(separator: " ")) ended with \(process.terminationStatus)")
        }
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

extension Duration {
    /// The duration as a number of seconds.
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
