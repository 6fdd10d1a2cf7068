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
}
