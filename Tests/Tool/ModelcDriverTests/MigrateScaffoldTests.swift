import Foundation
import Testing

@testable import ModelcDriver

/// `modelc migrate scaffold` writes code that compiles, whatever the names of the versions.
@Suite struct MigrateScaffoldTests {
    private let repository: GitRepository

    init() throws {
        repository = try GitRepository()
    }

    private func url(_ path: String) -> URL { repository.folder.appendingPathComponent(path) }

    private func scaffold(
        _ model: String, _ old: String, _ new: String, form: MigrateScaffoldCommand.Form, output: String
    ) -> GitRepository.Outcome {
        repository.run {
            MigrateScaffoldCommand.runProgram(
                [model, old, new, "--form", form.rawValue, "--output", output], in: $0)
        }
    }

    private func writeVersion(_ name: String, type: String, bundle: String) throws {
        try repository.write(
            "<model><entity name=\"Book\"><attribute name=\"title\" attributeType=\"\(type)\"/></entity></model>",
            to: "\(bundle)/\(name).xcdatamodel/contents")
    }

    /// The part of Apple's API used by the code, according to
    /// developer.apple.com/documentation/coredata/staged-migrations.
    private static let api = """
        @_exported import Foundation

        open class NSMigrationStage: NSObject { open var label: String = "" }
        open class NSLightweightMigrationStage: NSMigrationStage { public init(_ versionChecksums: [String]) {} }
        open class NSManagedObjectModelReference: NSObject { public init(fileURL: URL, versionChecksum: String) {} }
        open class NSCustomMigrationStage: NSMigrationStage {
            public init(
                migratingFrom currentModel: NSManagedObjectModelReference, to nextModel: NSManagedObjectModelReference
            ) {}
            open var willMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?
            open var didMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?
        }
        open class NSStagedMigrationManager: NSObject { public init(_ stages: [NSMigrationStage]) {} }
        """

    /// The code is type-checked against declarations of the API, not the framework itself.
    @Test func stagedCodeCompilesWhateverVersionsAreCalled() throws {
        let names = [
            "A", "B\"); fatalError(\"", "C\\(exit(1))", "D */ #error(\"x\")", "E\nfatalError()",
            "F\u{2028}#error(\"x\")",
        ]
        let bundle = "9 Bad\"Name.xcdatamodeld"
        let types = ["String", "Binary", "String", "Integer 16", "Integer 32", "Boolean"]
        for (name, type) in zip(names, types) { try writeVersion(name, type: type, bundle: bundle) }
        let result = scaffold(bundle, "A", names[5], form: .staged, output: "Code.swift")
        #expect(result.code == .success, "\(result.errorOutput)")
        try repository.write(Self.api, to: "CoreData.swift")
        let folder = repository.folder.path
        func compile(_ arguments: String...) throws {
            let result = try ChildProcess.run(["swiftc", "-swift-version", "6", "-warnings-as-errors"] + arguments)
            #expect(result.exitCode == 0, "\(String(decoding: result.output, as: UTF8.self))\(result.errorOutput)")
        }
        try compile(
            "-parse-as-library", "-emit-module", "-module-name", "CoreData", "-emit-module-path",
            folder + "/CoreData.swiftmodule", folder + "/CoreData.swift")
        try compile("-typecheck", "-module-name", "App", "-I", folder, folder + "/Code.swift")
    }

    @Test func checksumsAreThoseOfTheCompiledBundle() throws {
        try writeVersion("A", type: "String", bundle: "M.xcdatamodeld")
        try writeVersion("B", type: "Binary", bundle: "M.xcdatamodeld")
        #expect(scaffold("M.xcdatamodeld", "A", "B", form: .staged, output: "Code.swift").code == .success)
        try repository.write(
            "<plist version=\"1.0\"><dict><key>_XCCurrentVersionName</key><string>B.xcdatamodel</string></dict></plist>",
            to: "M.xcdatamodeld/.xccurrentversion")
        let compiled = repository.run { environment in
            CompileCommand.runProgram(["M.xcdatamodeld", "M.momd"], in: environment)
        }
        #expect(compiled.code == .success, "\(compiled.errorOutput)")
        let code = try String(contentsOf: url("Code.swift"), encoding: .utf8)
        let list = try PropertyListSerialization.propertyList(
            from: Data(contentsOf: url("M.momd/VersionInfo.plist")), format: nil)
        let checksums = try #require(
            (list as? [String: Any])?["NSManagedObjectModel_VersionChecksums"] as? [String: String])
        #expect(checksums.count == 2)
        for checksum in checksums.values { #expect(code.contains("\"\(checksum)\"")) }
    }

    @Test(arguments: MigrateScaffoldCommand.Form.allCases)
    func existingFilesAreNotOverwritten(form: MigrateScaffoldCommand.Form) throws {
        try writeVersion("A", type: "String", bundle: "M.xcdatamodeld")
        try writeVersion("B", type: "Binary", bundle: "M.xcdatamodeld")
        let name = form == .mapping ? "Out.xcmappingmodel" : "Out.swift"
        try repository.write("mine", to: name)
        #expect(scaffold("M.xcdatamodeld", "A", "B", form: form, output: name).code == .couldNotRun)
        #expect(try String(contentsOf: url(name), encoding: .utf8) == "mine")
        // The output must not be inside the model either.
        #expect(scaffold("M.xcdatamodeld", "A", "B", form: form, output: "M.xcdatamodeld").code == .couldNotRun)
        let names = try FileManager.default.contentsOfDirectory(atPath: url("M.xcdatamodeld").path).sorted()
        #expect(names == ["A.xcdatamodel", "B.xcdatamodel"])
    }

    /// “Duplicate version checksums across stages detected.” (developer.apple.com/forums/thread/734693)
    @Test func aChecksumIsInOneStageOnly() throws {
        for (name, type) in [("A", "String"), ("B", "String"), ("C", "Binary"), ("D", "Binary")] {
            try writeVersion(name, type: type, bundle: "M.xcdatamodeld")
        }
        let result = scaffold("M.xcdatamodeld", "A", "D", form: .staged, output: "Code.swift")
        #expect(result.code == .success, "\(result.errorOutput)")
        #expect(result.errorOutput.contains("“B” is left out") && result.errorOutput.contains("“C” is left out"))
        let code = try String(contentsOf: url("Code.swift"), encoding: .utf8)
        #expect(code.contains("\"A\"") && code.contains("\"D\""))
        #expect(!code.contains("\"B\"") && !code.contains("\"C\""))
    }
}
