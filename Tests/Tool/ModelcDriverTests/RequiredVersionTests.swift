import ArgumentParser
import Foundation
import Testing

@testable import ModelcDriver

/// `required-version` of the settings.
@Suite struct RequiredVersionTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        try scratch.write("<model><entity name=\"Book\"/></model>", to: "M.xcdatamodeld/M.xcdatamodel/contents")
    }

    private func run(_ line: String) -> (code: ModelcDriver.ExitCode, text: String) {
        var text = ""
        let environment = DriverEnvironment(
            files: scratch.files, output: { text += $0 }, errorOutput: { text += $0 }, usesColor: false)
        let code = Modelc.run(arguments: line.split(separator: " ").map(String.init), in: environment)
        return (code, text)
    }

    @Test(arguments: [
        "compile M.xcdatamodeld M.momd", "decompile M.mom Out.xcdatamodel", "generate M.xcdatamodeld -o Out",
        "lock update", "new-version M.xcdatamodeld", "cloudkit export M.xcdatamodeld -o M.ckdb", "hash M.xcdatamodeld",
        "inspect M.xcdatamodeld", "graph M.xcdatamodeld", "diff M.xcdatamodeld M.xcdatamodeld",
        "migrate check M.xcdatamodeld", "format", "lint", "swiftdata plan --sources .",
    ])
    func commandsFailIfTheSettingsRequireAnotherVersion(line: String) throws {
        // A key of the other version is not reported.
        try scratch.write("version: 1\nrequired-version: 99.0.0\nnew-key: x\n", to: ".modelc.yml")
        let before = try scratch.tree()
        let (code, text) = run(line)
        #expect(code == .couldNotRun)
        #expect(text.contains("the settings need modelc 99.0.0"), "\(text)")
        #expect(!text.contains("unknown key"), "\(text)")
        #expect(try scratch.tree() == before)
    }

    @Test(arguments: ["momc M.xcdatamodeld Out.momd", "textconv M.xcdatamodeld/M.xcdatamodel/contents", "rules"])
    func buildRulesAndDriversOfGitDoNotCheckTheVersion(line: String) throws {
        try scratch.write("version: 1\nrequired-version: 99.0.0\n", to: ".modelc.yml")
        let (code, text) = run(line)
        #expect(code == .success, "\(text)")
    }

    /// Commands without settings fail only because of the version.
    @Test(arguments: ["version: 1\nrequired-version: \(ToolVersion.number)\n", "version: 1\nnew-key: x\n"])
    func commandsThatReadNoSettingsRunWithOthers(settings: String) throws {
        try scratch.write(settings, to: ".modelc.yml")
        let (code, text) = run("hash M.xcdatamodeld")
        #expect(code == .success, "\(text)")
    }

    /// A new command is a `ModelCommand`, unless it reads settings or has no model.
    @Test func everyOtherCommandIsInThisList() {
        func others(_ command: any ParsableCommand.Type) -> [String] {
            let subcommands = command.configuration.subcommands
            guard subcommands.isEmpty else { return subcommands.flatMap(others) }
            return command is any ModelCommand.Type ? [] : ["\(command)"]
        }
        let reading = [
            "GenerateCommand", "BuildCommand", "CheckCommand", "LintCommand", "FormatCommand",
            "BreakingCommand", "CloudKitCheckCommand",
        ]
        let inBuildsAndMerges = ["MomcCommand", "MapcCommand", "TextconvCommand", "MergeDriverCommand"]
        let withoutModel = [
            "EjectCommand", "ExplainCommand", "RulesCommand", "ConfigSchemaCommand",
            "ConfigReferenceCommand", "CloudKitDiffCommand", "MCPCommand", "InitCommand", "DoctorCommand",
            "PortCommand", "PrepareForLinuxCommand", "LaneCommand",
        ]
        // Other programs check the version.
        let programs = ["StudioCommand", "StoreCommand", "ModelSQLCommand"]
        #expect(others(Modelc.self).sorted() == (reading + inBuildsAndMerges + withoutModel + programs).sorted())
    }
}
