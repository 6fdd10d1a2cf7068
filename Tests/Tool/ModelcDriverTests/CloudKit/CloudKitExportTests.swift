import Foundation
import Testing

@testable import ModelcDriver

/// The files that `modelc cloudkit export` replaces.
@Suite struct CloudKitExportTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        try scratch.write(
            "<model usedWithCloudKit=\"YES\"><entity name=\"Book\"><attribute name=\"title\" optional=\"YES\" "
                + "attributeType=\"String\"/></entity></model>", to: "M.xcdatamodel/contents")
    }

    private func export(_ arguments: String...) -> (code: ExitCode, text: String) {
        var text = ""
        let environment = DriverEnvironment(
            files: scratch.files, output: { _ in }, errorOutput: { text += $0 }, usesColor: false)
        return (CloudKitExportCommand.runProgram(["M.xcdatamodel"] + arguments, in: environment), text)
    }

    /// `cloudkit check` needs the schema of production as it was exported.
    @Test func theMergedSchemaIsNotReplaced() throws {
        #expect(export("--output", "production.ckdb").code == .success)
        let before = try scratch.tree()
        #expect(export("--merge", "production.ckdb", "--output", "./production.ckdb", "--sharing").code == .couldNotRun)
        #expect(try scratch.tree() == before)
        #expect(export("--merge", "production.ckdb", "--output", "new.ckdb", "--sharing").code == .success)
    }

    @Test func onlySchemasAreReplaced() throws {
        try scratch.write("# Read me\n", to: "README.md")
        let refused = export("--output", "README.md")
        #expect(refused.code == .couldNotRun && refused.text.contains("not a CloudKit schema"), "\(refused.text)")
        #expect(try scratch.text("README.md") == "# Read me\n")
        #expect(export("--output", "schema.ckdb").code == .success)
        #expect(export("--output", "schema.ckdb", "--sharing").code == .success)
    }
}
