import Foundation
import Testing

@testable import ModelcDriver

@Suite struct CommandLineTests {
    @Test func linesAreWrappedBetweenWords() {
        let text = "one two three four five six seven\n\nshort\n"
        #expect(WrappedText.wrap(text, width: nil) == text)
        #expect(WrappedText.wrap(text, width: 20) == "one two three four\nfive six seven\n\nshort\n")
        // A word that is longer than the line is not broken.
        let word = String(repeating: "x", count: 200)
        #expect(WrappedText.wrap("a \(word) b", width: 40) == "a\n\(word)\nb")
        #expect(WrappedText.wrap(String(repeating: "ab ", count: 100), width: 1000).contains("\n"))
    }

    @Test func completionsReadTheModelOnTheCommandLine() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("complete-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let bundle = folder.appendingPathComponent("My Books.xcdatamodeld")
        for (version, entity) in [("V1", "Author"), ("V2", "Book")] {
            let location = bundle.appendingPathComponent("\(version).xcdatamodel")
            try FileManager.default.createDirectory(at: location, withIntermediateDirectories: true)
            try Data("<model><entity name=\"\(entity)\"/></model>".utf8).write(
                to: location.appendingPathComponent("contents"))
        }
        try Data(
            """
            <plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>V2.xcdatamodel</string></dict></plist>
            """.utf8
        ).write(to: bundle.appendingPathComponent(".xccurrentversion"))
        for word in [
            "\(bundle.path)", bundle.path.replacing(" ", with: "\\ "), "'\(bundle.path)'", "\"\(bundle.path)/\"",
        ] {
            let completion = ModelCompletion(["modelc", "generate", word, "--entity", ""])
            #expect(completion.versionNames == ["V1", "V2"], "\(word)")
            #expect(completion.entityNames == ["Book"], "\(word)")
        }
        #expect(ModelCompletion(["modelc", "generate", "gone.xcdatamodeld"]).entityNames.isEmpty)
    }

    @Test func progressIsShownAfterASecondAndRemoved() async throws {
        let written = Recorder()
        let line = ProgressLine("lint") { written.append($0) }
        line.start()
        // Wait for the line itself instead of a fixed time: a busy machine may be late.
        for _ in 0..<600 where written.text.isEmpty { try await Task.sleep(for: .milliseconds(100)) }
        #expect(written.text.hasPrefix("\r\u{1B}[Kmodelc lint: 1 s"))
        line.finish()
        let end = written.text
        #expect(end.hasSuffix("\r\u{1B}[K"))
        line.finish()
        #expect(written.text == end)
    }

    @Test func quickCommandsShowNoProgress() {
        let written = Recorder()
        let line = ProgressLine("lint") { written.append($0) }
        line.finish()
        line.start()
        #expect(written.text.isEmpty)
    }

    @Test func theVersionNamesTheCompiler() throws {
        let text = try #require(ToolVersion.answer(to: ["--version"], of: "modelc"))
        #expect(
            text.wholeMatch(of: #/modelc \d+\.\d+\.\d+ \(([0-9a-f]{7,}, )?Swift \d\.\d( or later)?\)/#) != nil)
    }

    @Test func theVersionIsPrintedAsJSONInBothOrders() throws {
        let json = try #require(ToolVersion.answer(to: ["--version", "--json"], of: "modelc-store"))
        #expect(json.contains(#""name":"modelc-store","version":"\#(ToolVersion.number)""#), "\(json)")
        #expect(ToolVersion.answer(to: ["--json", "--version"], of: "modelc-store") == json)
        #expect(ToolVersion.answer(to: ["lint", "--version"], of: "modelc") == nil)
        #expect(outcome(["--json", "--version"]).output.contains(#""name":"modelc""#))
    }

    @Test(arguments: ["momc", "mapc"], ["--help", "-h"]) func helpOfAppleCompilers(name: String, option: String) {
        let (code, output) = outcome([name, option])
        #expect(code == .success)
        #expect(output.contains("OVERVIEW: Run with the arguments of Apple's \(name)"), "\(output)")
    }

    private func outcome(_ arguments: [String]) -> (code: ModelcDriver.ExitCode, output: String) {
        var output = ""
        let environment = DriverEnvironment(
            files: POSIXFileSystem(), output: { output += $0 }, errorOutput: { _ in }, usesColor: false)
        return (Modelc.run(arguments: arguments, in: environment), output)
    }

    /// Texts from another thread.
    private final class Recorder: @unchecked Sendable {
        private let lock = NSLock()
        private var parts: [String] = []

        var text: String { lock.withLock { parts.joined() } }

        func append(_ text: String) { lock.withLock { parts.append(text) } }
    }
}
