import TestSupport
import Testing

@testable import ModelcDriver

@Suite struct HelpPageTests {
    @Test func longExamplesAreContinuedAsOneCommand() throws {
        let page = try help(["compile"])
        #expect(
            page.contains(
                """
                  modelc compile Books.xcdatamodeld --output Resources/Books.momd \\
                      --module Library

                """), "\(page)")
        #expect(
            page.contains(
                """
                USAGE: modelc compile <model> [<output>] [--output <output>] [--module <name>]
                       [--list-outputs]
                """), "\(page)")
    }

    @Test func columnsOfTablesAreKept() throws {
        let page = try help(["check"])
        #expect(
            page.contains(
                """
                  migrates automatically   Core Data migrates the stores of all released
                                           versions.
                """), "\(page)")
    }

    /// Every page, through the words that the program gets.
    @Test func linesOfAllPagesFitAndKeepTheirIndentation() throws {
        let paths = try commands().paths
        #expect(paths.count > 40)
        for path in paths {
            let lines = try help(path).split(separator: "\n", omittingEmptySubsequences: false)
            for (line, next) in zip(lines, lines.dropFirst() + [""]) {
                // A single word may be longer.
                #expect(line.count <= 80 || !line.drop { $0 == " " }.contains(" "), "\(path): \(line)")
                // The next line does not belong to one that has room for its first word.
                let word = next.prefix { $0 != " " }
                let isContinued = line.hasPrefix("  ") && !word.isEmpty && line.count + 1 + word.count > 80
                #expect(!isContinued, "\(path): \(next)")
            }
        }
    }

    @Test func pagesFollowTheWidthOfTheTerminal() throws {
        let page = try help(["compile"], width: 100)
        #expect(page.contains("  modelc compile Books.xcdatamodeld --output Resources/Books.momd --module Library\n"))
        // Without room for the descriptions of options, pages have the least width.
        #expect(try help(["compile"], width: 10) == help(["compile"], width: 60))
    }

    @Test func theHelpOptionShowsTheSamePage() throws {
        #expect(try help(["migrate", "check"]) == outcome(["migrate", "check", "--help"], width: nil).output)
    }

    @Test func completionScriptsAreNotLaidOut() {
        let (code, output) = outcome(["--generate-completion-script", "zsh"], width: 60)
        #expect(code == .success)
        #expect(output.hasPrefix("#compdef modelc\n"))
    }

    @Test func requiredOptionsAreMarked() throws {
        #expect(try commands().unmarkedOptions.isEmpty)
    }

    private func commands() throws -> CommandDump {
        try CommandDump.root(in: outcome(["--experimental-dump-help"], width: nil).output)
    }

    private func help(_ path: [String], width: Int? = nil) throws -> String {
        let (code, output) = outcome(["help"] + path, width: width)
        try #require(code == .success, "\(output)")
        return output
    }

    private func outcome(_ arguments: [String], width: Int?) -> (code: ModelcDriver.ExitCode, output: String) {
        var output = ""
        let environment = DriverEnvironment(
            files: POSIXFileSystem(), output: { output += $0 }, errorOutput: { _ in }, usesColor: false,
            outputWidth: width)
        return (Modelc.run(arguments: arguments, in: environment), output)
    }
}
