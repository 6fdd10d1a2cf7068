import ModelcDriver
import Testing

/// `modelc studio` finds its program, or says how to build it.
@Suite struct StudioCommandTests {
    @Test func aMissingProgramIsExplained() {
        var errors = ""
        let environment = DriverEnvironment(
            files: POSIXFileSystem(), output: { _ in }, errorOutput: { errors += $0 }, usesColor: false)
        var command = StudioCommand(arguments: ["Books.xcdatamodeld"])
        command.programPath = "/no/such/folder/modelc-studio"
        #expect(command.run(in: environment) == .couldNotRun)
        #expect(errors.contains("“/no/such/folder/modelc-studio” was not found"))
        #expect(errors.contains("swift build --product modelc-studio"))
    }
}
