import Foundation
import Testing

@testable import ModelcDriver

/// Processes whose output cannot be written.
@Suite struct StandardStreamTests {
    /// A command line for every kind of standard output.
    private static let printing = [
        ["generate", "Shop.xcdatamodeld", "--list-outputs"], ["generate", "Shop.xcdatamodeld", "--dry-run"],
        ["generate", "Shop.xcdatamodeld", "-o", "Out", "--check"], ["compile", "Shop.xcdatamodeld", "--list-outputs"],
        ["lint", "Bad.xcdatamodel"], ["lint", "Bad.xcdatamodel", "--reporter", "github"],
        ["lint", "Bad.xcdatamodel", "--fix", "--dry-run"], ["explain", "missing-inverse"], ["rules"],
        ["config", "schema"], ["config", "reference"],
        ["rules", "--format", "json"], ["format", "Bad.xcdatamodel", "--diff"], ["hash", "Shop.xcdatamodeld"],
        ["inspect", "Compiled.momd"], ["inspect", "Compiled.momd", "--format", "json"], ["graph", "Shop.xcdatamodeld"],
        ["inspect", "Mapping.xcmappingmodel"], ["inspect", "Mapping.cdm", "--format", "json"],
        ["compile", "Mapping.xcmappingmodel", "--list-outputs"],
        ["momc", "--dry-run", "Shop.xcdatamodeld", "Out"], ["mapc", "--dry-run", "Mapping.xcmappingmodel", "Out"],
        ["momc", "--dry-run", "--action", "generate", "Shop.xcdatamodeld", "Out"],
        ["templates", "context", "Shop.xcdatamodeld"],
        ["textconv", "base"], ["port", "Package"],
        ["prepare-for-linux", "Package", "--modelc", "../modelc", "--dry-run"], ["--help"], ["help", "lint"],
        ["check", "Shop.xcdatamodeld", "--without", "breaking", "--without", "lock"],
        ["diff", "Bad.xcdatamodel", "Shop.xcdatamodeld"],
        ["diff", "Bad.xcdatamodel", "Compiled.momd", "--format", "json"],
        ["breaking", "Bad.xcdatamodel", "--against", "Changed.xcdatamodel"],
        ["migrate", "check", "Shop.xcdatamodeld"],
        ["swiftdata", "freeze", "SchemaV1", "--sources", "Models.swift"],
        ["cloudkit", "export", "Mirrored.xcdatamodel"],
        ["cloudkit", "check", "Mirrored.xcdatamodel", "--against", "old.ckdb"],
        ["cloudkit", "diff", "old.ckdb", "old.ckdb"],
        ["init", "Package", "--modelc", "../modelc", "--dry-run"],
        ["--version"],
        ["--generate-completion-script", "bash"],
    ]

    /// Fails for a new command that prints until it is added above.
    @Test func everyCommandThatPrintsIsCovered() {
        let silent: Set = [
            "decompile", "merge-driver", "build-target", "doctor", "lane", "lock", "mcp", "new-version", "store", "sql",
            "studio",
        ]
        let names = Modelc.configuration.subcommands.compactMap { $0.configuration.commandName ?? $0._commandName }
        #expect(Set(names).subtracting(silent).subtracting(Self.printing.map { $0[0] }).isEmpty)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "needs /dev/full"), arguments: printing)
    func aFullDiskIsAnError(_ arguments: [String]) throws {
        let scratch = try OutputScratch()
        let before = try scratch.snapshot()
        let result = try ModelcProcess.run(script: "exec \"$@\" > /dev/full", arguments, in: scratch.folder)
        #expect(result.code == 2)
        #expect(
            result.errorOutput.hasSuffix("modelc: error: cannot write to standard output: No space left on device\n"))
        #expect(try scratch.snapshot() == before)
    }

    @Test(arguments: printing)
    func aClosedPipeEndsTheCommandSilently(_ arguments: [String]) throws {
        let scratch = try OutputScratch()
        // The reader has ended before the program starts, with and without SIGPIPE.
        let closedPipe = "mkfifo pipe; true < pipe & exec 3> pipe; wait; \"$@\" >&3; echo $? >&2"
        for script in [closedPipe, "rm pipe; trap '' PIPE; " + closedPipe] {
            let result = try ModelcProcess.run(script: script, arguments, in: scratch.folder)
            #expect(result.errorOutput.hasSuffix("141\n"))
            #expect(!result.errorOutput.contains("cannot write"))
        }
    }

    @Test func aClosedStreamIsAnErrorAndIsNotReusedByAFile() throws {
        let scratch = try OutputScratch()
        let arguments = ["lint", "Bad.xcdatamodel", "--reporter", "text", "--reporter", "json=report"]
        let expected = try ModelcProcess.run(arguments, in: scratch.folder)
        let report = try Data(contentsOf: scratch.url("report"))
        try FileManager.default.removeItem(at: scratch.url("report"))
        let result = try ModelcProcess.run(script: "exec \"$@\" <&- >&-", arguments, in: scratch.folder)
        #expect(result.code == 2)
        #expect(result.errorOutput.hasSuffix("cannot write to standard output: Bad file descriptor\n"))
        #expect(try Data(contentsOf: scratch.url("report")) == report)
        // Findings that cannot be shown still determine the exit code.
        for script in ["exec \"$@\" 2>&-", "exec \"$@\" 2> /dev/full"] {
            let result = try ModelcProcess.run(script: script, arguments, in: scratch.folder)
            #expect(result.code == expected.code)
            #expect(result.output == expected.output)
        }
    }

    @Test func failedWritesLeaveNoPartialFile() throws {
        let scratch = try OutputScratch()
        let before = try scratch.snapshot()
        for arguments in [
            ["generate", "Shop.xcdatamodeld", "-o", "Out"], ["compile", "Shop.xcdatamodeld"],
            ["lint", "Shop.xcdatamodeld", "--reporter", "sarif=report"], ["format", "Bad.xcdatamodel"],
        ] {
            let result = try ModelcProcess.run(script: "ulimit -f 0; exec \"$@\"", arguments, in: scratch.folder)
            #expect(result.code == 2)
            #expect(result.errorOutput.contains("File too large"))
            #expect(try scratch.snapshot() == before)
        }
        let result = try ModelcProcess.run(
            script: "ulimit -f 1; exec \"$@\" > out", ["rules", "--format", "json"], in: scratch.folder)
        #expect(result.code == 2)
    }

    /// A report written to standard output by its path appears between the output of other programs.
    @Test func standardOutputAsAnOutputFileIsWrittenInPlace() throws {
        let scratch = try OutputScratch()
        let script = "{ echo begin; \"$@\"; echo end; } > log"
        let result = try ModelcProcess.run(
            script: script, ["lint", "Shop.xcdatamodeld", "--reporter", "markdown=/dev/stdout"], in: scratch.folder)
        #expect(result.code == 0)
        let log = try String(contentsOf: scratch.url("log"), encoding: .utf8)
        #expect(log.hasPrefix("begin\n") && log.hasSuffix("end\n") && log.count > 12, "\(log)")
    }
}
