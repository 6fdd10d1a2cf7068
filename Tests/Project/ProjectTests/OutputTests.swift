import Foundation
import TestSupport
import Testing

/// Commands print through `DriverEnvironment`, which escapes what a terminal or a CI system would interpret.
@Suite struct OutputTests {
    /// The folders of the modules of commands.
    private static let modules = [
        "Tool/ModelcDriver", "Tool/StoreTools", "Tool/modelc", "Tool/modelc-store", "Studio/ModelEditor",
        "Studio/StoreBrowser", "Studio/StudioServer",
    ]

    /// Ways to print past the environment, and the files that may use them.
    private static var exceptions: [(pattern: Regex<Substring>, files: Set<String>)] {
        [
            // The streams behind an environment.
            (/\bStandardStream\b|STD(?:OUT|ERR)_FILENO/, ["DriverProcess.swift", "StandardStream.swift"]),
            (/\bFileHandle\.standard(?:Output|Error)\b/, ["SystemCalls.swift"]),
            (/(?:^|[^.\w])(?:print|debugPrint|dump|puts|fputs|printf|vprintf|fwrite)\(/, []),
            (/\bwrite(?:Output|ErrorOutput)\(/, ["DriverEnvironment.swift"]),
            // GitHub's commands, whose texts the reporter escapes.
            (/\boutputCommands\(/, ["DriverEnvironment.swift", "ReportOutput.swift"]),
        ]
    }

    @Test func commandsPrintThroughTheirEnvironment() throws {
        let sources = Checkout.root.appendingPathComponent("Sources")
        var count = 0
        for module in Self.modules {
            let folder = sources.appendingPathComponent(module)
            let files = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
            for path in files where path.hasSuffix(".swift") {
                count += 1
                let url = folder.appendingPathComponent(path)
                let text = try String(contentsOf: url, encoding: .utf8)
                for (pattern, allowed) in Self.exceptions where !allowed.contains(url.lastPathComponent) {
                    for line in text.split(separator: "\n") {
                        let code = line.drop(while: \.isWhitespace)
                        guard !code.hasPrefix("//"), !code.contains("func print(") else { continue }
                        #expect(line.firstMatch(of: pattern) == nil, "\(module)/\(path): \(line)")
                    }
                }
            }
        }
        #expect(count > 200)
    }
}
