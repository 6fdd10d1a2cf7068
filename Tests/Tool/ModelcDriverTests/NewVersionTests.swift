import Foundation
import Testing

@testable import ModelcDriver

/// `modelc new-version` changes nothing unless all files can be written.
@Suite struct NewVersionTests {
    private let repository: GitRepository

    init() throws {
        repository = try GitRepository()
        try repository.writeVersion("M", attributes: ["title"])
    }

    private func url(_ path: String) -> URL { repository.folder.appendingPathComponent("M.xcdatamodeld/" + path) }

    private func newVersion(_ name: String? = nil) -> GitRepository.Outcome {
        repository.run { NewVersionCommand.runProgram(["M.xcdatamodeld"] + (name.map { [$0] } ?? []), in: $0) }
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: url("").path).sorted()
    }

    @Test func theCurrentVersionIsCopiedAndTheCopyIsCurrent() throws {
        let result = newVersion()
        #expect(result.code == .success, "\(result.errorOutput)")
        #expect(try names() == [".xccurrentversion", "M 2.xcdatamodel", "M.xcdatamodel"])
        #expect(
            try Data(contentsOf: url("M 2.xcdatamodel/contents")) == Data(contentsOf: url("M.xcdatamodel/contents")))
        #expect(try String(contentsOf: url(".xccurrentversion"), encoding: .utf8).contains("M 2.xcdatamodel"))
    }

    @Test func existingFilesAreNotOverwritten() throws {
        for make in [
            { try FileManager.default.createDirectory(at: $0, withIntermediateDirectories: true) },
            { try FileManager.default.createSymbolicLink(atPath: $0.path, withDestinationPath: "nowhere") },
            { #expect(mkfifo($0.path, 0o600) == 0) },
        ] as [(URL) throws -> Void] {
            try make(url(".xccurrentversion"))
            let before = try names()
            #expect(newVersion("New").code != .success)
            #expect(try names() == before)
            try FileManager.default.removeItem(at: url(".xccurrentversion"))
        }
        try FileManager.default.createSymbolicLink(
            atPath: url("New.xcdatamodel").path, withDestinationPath: "nowhere")
        #expect(newVersion("New").code != .success)
        #expect(try names() == ["M.xcdatamodel", "New.xcdatamodel"])
    }

    @Test(arguments: ["", ".hidden", "a/b", "a\\b", "a:b", "a\nb", "m", String(repeating: "x", count: 300)])
    func unusableNamesAreErrors(name: String) throws {
        #expect(newVersion(name).code == .couldNotRun)
        #expect(try names() == ["M.xcdatamodel"])
    }

    @Test func aProjectWithOtherContentsIsLeftAlone() throws {
        try repository.write("not a project", to: "App.xcodeproj/project.pbxproj")
        let result = newVersion()
        #expect(result.code == .success)
        #expect(result.errorOutput.contains("the project cannot be read"))
    }
}
