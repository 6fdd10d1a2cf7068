internal import Diagnostics
internal import Foundation
internal import ModelcDriver

/// Access to the process and the desktop.
enum SystemCalls {
    /// Ignores SIGPIPE, so that writing to a closed connection fails instead of terminating the process.
    static func ignoreClosedPipes() { signal(SIGPIPE, SIG_IGN) }

    /// Returns an environment that writes to the standard streams without buffering.
    static func environment(_ files: any FileSystem) -> DriverEnvironment {
        DriverEnvironment(
            files: files, output: { try? FileHandle.standardOutput.write(contentsOf: Data($0.utf8)) },
            errorOutput: { try? FileHandle.standardError.write(contentsOf: Data($0.utf8)) }, usesColor: false,
            errorOutputIsTerminal: isatty(FileHandle.standardError.fileDescriptor) == 1)
    }

    /// Asks the user a question.
    ///
    /// - Returns: The answer in one line; `nil` if the program does not run in a terminal.
    static func answer(to question: String, _ environment: DriverEnvironment) -> String? {
        guard isatty(STDIN_FILENO) == 1, environment.errorOutputIsTerminal else { return nil }
        environment.errorOutput(DisplayText.line(question))
        return readLine() ?? ""
    }

    /// The folder for journals in the user's cache folder; `nil` if there is no home folder.
    static var journalFolder: String? {
        if let cache = DriverProcess.value("XDG_CACHE_HOME"), cache.hasPrefix("/") { return cache + "/modelc/studio" }
        guard let home = DriverProcess.value("HOME"), home.hasPrefix("/") else { return nil }
        #if os(macOS)
        return home + "/Library/Caches/modelc/studio"
        #else
        return home + "/.cache/modelc/studio"
        #endif
    }

    /// Returns 128 random bits as text.
    static func randomToken() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let text = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }.joined()
    }

    /// Opens an address in the user's browser, if there is a desktop.
    static func openBrowser(_ address: String) {
        let process = Process()
        #if os(macOS)
        let opener = "/usr/bin/open"
        #else
        let opener = "/usr/bin/xdg-open"
        #endif
        guard FileManager.default.isExecutableFile(atPath: opener) else { return }
        process.executableURL = URL(fileURLWithPath: opener)
        process.arguments = [address]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try? process.run()
    }
}
