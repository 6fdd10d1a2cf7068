import Testing

@testable import ModelcDriver

/// Models are changed only by the commands that edit models.
@Suite struct ModelProtectionTests {
    @Test(arguments: [
        ["templates", "eject", "P.xcdatamodeld"], ["generate", "M.xcdatamodeld", "--output", "P.xcdatamodeld"],
        ["generate", "M.xcdatamodeld", "--output", "P.xcdatamodeld/M.xcdatamodel/Code"],
        ["compile", "M.xcdatamodeld", "P.xcdatamodeld"], ["decompile", "M.mom", "P.xcdatamodeld"],
        ["decompile", "M.mom", "New.xcdatamodeld"], ["graph", "M.xcdatamodeld", "--output", "P.xcdatamodeld/M.svg"],
    ])
    func outputsInsideOtherModelsAreRejected(_ arguments: [String]) throws {
        let scratch = try Scratch()
        for name in ["M", "P"] {
            try scratch.write(
                "<model><entity name=\"Book\"/></model>", to: "\(name).xcdatamodeld/M.xcdatamodel/contents")
        }
        var text = ""
        let environment = DriverEnvironment(
            files: scratch.files, output: { text += $0 }, errorOutput: { text += $0 }, usesColor: false)
        #expect(
            Modelc.runProgram(["compile", "M.xcdatamodeld/M.xcdatamodel", "M.mom"], in: environment) == .success,
            "\(text)")
        let before = try scratch.tree()
        #expect(Modelc.runProgram(arguments, in: environment) == .couldNotRun, "\(text)")
        #expect(text.contains("it is inside the model"), "\(text)")
        #expect(try scratch.tree() == before)
    }

    @Test(arguments: [
        (["json=.modelc.yml"], "it is a file that modelc reads"), (["json=baseline"], "it is a file that modelc reads"),
        (["junit=App.swift"], "it is a file that modelc reads"),
        (["sarif=modelc.lock"], "it is a file that modelc reads"),
        (["sarif=out", "json=./out"], "two reports have this file"),
    ])
    func reportsReplaceOnlyReports(_ reporters: [String], reason: String) throws {
        let scratch = try Scratch()
        try scratch.write("<model><entity name=\"Book\"/></model>", to: "M.xcdatamodeld/M.xcdatamodel/contents")
        try scratch.write("version: 1\n", to: ".modelc.yml")
        try scratch.write("import Foundation\n", to: "App.swift")
        var text = ""
        let environment = DriverEnvironment(
            files: scratch.files, output: { text += $0 }, errorOutput: { text += $0 }, usesColor: false)
        #expect(Modelc.runProgram(["lint", "--write-baseline", "baseline"], in: environment) == .success, "\(text)")
        #expect(Modelc.runProgram(["lock", "update"], in: environment) == .success, "\(text)")
        let before = try scratch.tree()
        for command in ["lint", "check"] {
            let arguments = [command] + reporters.flatMap { ["--reporter", $0] }
            #expect(Modelc.runProgram(arguments, in: environment) == .couldNotRun, "\(text)")
        }
        #expect(text.contains(reason), "\(text)")
        #expect(try scratch.tree() == before)
    }
}
