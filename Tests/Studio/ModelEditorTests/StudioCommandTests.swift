import ModelcDriver
import Testing

/// `modelc studio` finds its program, or explains how to build it.
@Suite struct StudioCommandTests {
    @Test func aMissingProgramIsExplained() {
        var errors = ""
        let environment = DriverEnvironment(
            files: POSIXFileSystem(), output: { _ in }, errorOutput: { errors += $0 }, usesColor: false)
        let code = StudioCommand.run(
            ["Books.xcdatamodeld"], programPath: "/no/such/folder/modelc-studio", in: environment)
        #expect(code == .couldNotRun)
        #expect(errors.contains("“/no/such/folder/modelc-studio” was not found"))
        #expect(errors.contains("swift build --package-path Studio"))
    }
}
