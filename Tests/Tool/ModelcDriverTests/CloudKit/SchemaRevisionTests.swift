import Testing

@testable import ModelcDriver

/// Schemas and models of git revisions in `modelc cloudkit`.
@Suite struct SchemaRevisionTests {
    private let repository: GitRepository

    init() throws {
        repository = try GitRepository()
        try repository.writeVersion("M", attributes: ["title"])
        try repository.write("DEFINE SCHEMA RECORD TYPE CD_Book (CD_entityName STRING);", to: "App/schema.ckdb")
        try repository.commit()
        try repository.write(
            "DEFINE SCHEMA RECORD TYPE CD_Book (CD_entityName STRING, CD_title STRING);", to: "App/schema.ckdb")
    }

    @Test func aSchemaIsComparedWithItselfInARevision() {
        let result = repository.run(in: "App") {
            CloudKitDiffCommand.runProgram(["HEAD:./schema.ckdb", "schema.ckdb"], in: $0)
        }
        #expect(result.code == .success, "\(result.errorOutput)")
        #expect(result.output.contains("+ CD_title STRING"))
        #expect(result.output.contains("Production accepts the change"))
    }

    @Test func aModelIsCheckedAgainstTheSchemaOfARevision() {
        func check(_ against: String) -> GitRepository.Outcome {
            repository.run { CloudKitCheckCommand.runProgram(["M.xcdatamodeld", "--against", against], in: $0) }
        }
        #expect(check("App/schema.ckdb").code == .success)
        let released = check("HEAD:App/schema.ckdb")
        #expect(released.code == .findings)
        #expect(released.output.contains("production has no field “CD_Book.CD_title”"))
        #expect(check("HEAD:Other.ckdb").code == .couldNotRun)
        #expect(check("HEAD:M.xcdatamodeld").code == .couldNotRun)
    }

    @Test func theSchemaOfAnEarlierModelIsExported() throws {
        try repository.writeVersion("M", attributes: ["title", "year"])
        func export(_ path: String) -> GitRepository.Outcome {
            repository.run { CloudKitExportCommand.runProgram([path], in: $0) }
        }
        #expect(export("M.xcdatamodeld").output.contains("CD_year "))
        let released = export("HEAD:M.xcdatamodeld")
        #expect(released.code == .success, "\(released.errorOutput)")
        #expect(released.output.contains("CD_title ") && !released.output.contains("CD_year "))
    }
}
