import Foundation
import Testing

@testable import ModelcDriver

/// What the commands about packages take for the files of a target, and what `doctor` finds in one.
@Suite struct PackageSetupTests {
    private let scratch: Scratch
    private let model =
        "<model><entity name=\"Book\" representedClassName=\"Book\" codeGenerationType=\"class\"/></model>"

    init() throws {
        scratch = try Scratch()
    }

    private func run(_ command: any DriverCommand.Type, _ arguments: String...) -> (code: ExitCode, text: String) {
        var text = ""
        let environment = DriverEnvironment(
            files: scratch.files, output: { text += $0 }, errorOutput: { text += $0 }, usesColor: false)
        return (command.runProgram(arguments, in: environment), text)
    }

    /// A target may be the whole package: its manifest is not a source. Those of packages inside are, as the output of
    /// `swift package describe` says.
    @Test func targetsLeaveTheManifestsOfTheirPackageAlone() throws {
        let manifest = """
            // swift-tools-version: 6.0
            import PackageDescription
            let package = Package(name: "Kit", targets: [.target(name: "Kit", path: ".")])
            """
        try scratch.write(manifest, to: "Package.swift")
        try scratch.write(manifest, to: "Package@swift-6.2.swift")
        try scratch.write(
            "import CoreData\n@objc(Book) public class Book: NSManagedObject {\n  @NSManaged @objc public var a: Int\n}\n",
            to: "Book.swift")
        try scratch.write(model, to: "M.xcdatamodeld/M.xcdatamodel/contents")
        try scratch.write("// swift-tools-version: 6.0\n", to: "Examples/Demo/Package.swift")
        try scratch.write("import UIKit\n", to: "Examples/Demo/Demo.swift")
        try scratch.write(model, to: "Examples/Demo/Demo.xcdatamodeld/Demo.xcdatamodel/contents")
        let groups = try PackageFolder(files: scratch.files).groups(below: ".")
        let kit = try #require(groups.first { $0.name == "Kit" })
        #expect(kit.sources == ["Book.swift", "Examples/Demo/Demo.swift", "Examples/Demo/Package.swift"])
        #expect(kit.models == ["Examples/Demo/Demo.xcdatamodeld", "M.xcdatamodeld"])
        let (code, text) = run(PrepareForLinuxCommand.self, ".", "--modelc", "https://example.com/modelc")
        #expect(code == .success, "\(text)")
        #expect(try scratch.text("Package.swift").contains("\"Examples\","))
    }

    /// An app may have an entity `Package`.
    @Test func sourcesMayHaveTheNamesOfManifests() throws {
        try scratch.write(
            """
            // swift-tools-version: 6.0
            import PackageDescription
            let package = Package(name: "Kit", targets: [.target(name: "Kit")])
            """, to: "Package.swift")
        try scratch.write("class Package {}\n", to: "Sources/Kit/Package.swift")
        try scratch.write("class Package {}\n", to: "Sources/Kit/Models/Package.swift")
        try scratch.write("class Item {}\n", to: "Sources/Kit/Models/Item.swift")
        let groups = try PackageFolder(files: scratch.files).groups(below: ".")
        let kit = try #require(groups.first { $0.name == "Kit" })
        #expect(kit.sources == ["Models/Item.swift", "Models/Package.swift", "Package.swift"])
    }

    /// A model that was added after `prepare-for-linux` is not in the lines that it wrote.
    @Test func doctorFindsModelsThatTheLinesForLinuxLack() throws {
        try scratch.write(
            """
            // swift-tools-version: 6.0
            import PackageDescription
            let package = Package(name: "Kit", targets: [.target(name: "Kit")])

            """, to: "Package.swift")
        try scratch.write("let x = 1\n", to: "Sources/Kit/Kit.swift")
        try scratch.write(model, to: "Sources/Kit/Old.xcdatamodeld/Old.xcdatamodel/contents")
        #expect(run(PrepareForLinuxCommand.self, ".", "--modelc", "https://example.com/modelc").code == .success)
        #expect(!run(DoctorCommand.self, ".").text.contains("does not exclude"))
        try scratch.write(model, to: "Sources/Kit/New.xcdatamodeld/New.xcdatamodel/contents")
        let (code, text) = run(DoctorCommand.self, ".")
        #expect(code == .findings && text.contains("does not exclude the model “New.xcdatamodeld”"), "\(text)")
        #expect(!text.contains("“Old.xcdatamodeld”"))
    }

    // MARK: AGENTS.md

    @Test func instructionsAreNotWrittenThroughLinksOutOfTheFolder() throws {
        try scratch.write("export A=1\n", to: "profile")
        try scratch.write("Notes.\n", to: "App/NOTES.md")
        try scratch.link("App/AGENTS.md", to: "../profile")
        let (code, text) = run(InitCommand.self, "App", "--agents")
        #expect(code == .couldNotRun && text.contains("symbolic link"), "\(text)")
        #expect(try scratch.text("profile") == "export A=1\n")
        try FileManager.default.removeItem(at: scratch.url("App/AGENTS.md"))
        try scratch.link("App/AGENTS.md", to: "NOTES.md")
        #expect(run(InitCommand.self, "App", "--agents").code == .success)
        #expect(try scratch.text("App/NOTES.md").hasPrefix("Notes.\n\n<!-- modelc"))
    }

    @Test func instructionsKeepTheLineEndsOfTheFile() throws {
        try scratch.write("Notes.\r\n", to: "AGENTS.md")
        #expect(run(InitCommand.self, ".", "--agents").code == .success)
        let text = try scratch.text("AGENTS.md")
        #expect(text.unicodeScalars.filter { $0 == "\n" }.count == text.unicodeScalars.filter { $0 == "\r" }.count)
        #expect(run(InitCommand.self, ".", "--agents").code == .success)
        #expect(try scratch.text("AGENTS.md") == text)
    }

    // MARK: What does not exist

    @Test func missingModelsAreReported() throws {
        try scratch.write(model, to: "A.xcdatamodeld/A.xcdatamodel/contents")
        try scratch.link("B.xcdatamodeld", to: "../Shared/B.xcdatamodeld")
        #expect(run(LintCommand.self, ".").text.contains("B.xcdatamodeld: warning: the model does not exist"))
    }

    @Test func missingVersionsAreReported() throws {
        try scratch.write(model, to: "A.xcdatamodeld/A.xcdatamodel/contents")
        try scratch.write(
            "<plist><dict><key>_XCCurrentVersionName</key><string>A.xcdatamodel</string></dict></plist>",
            to: "A.xcdatamodeld/.xccurrentversion")
        try scratch.link("A.xcdatamodeld/A 2.xcdatamodel", to: "../../A 2.xcdatamodel")
        let (code, text) = run(CompileCommand.self, "A.xcdatamodeld", "Out")
        #expect(code == .success && text.contains("the version “A 2” cannot be read"), "\(text)")
    }
}
