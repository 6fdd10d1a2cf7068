import Foundation
import Testing

@testable import ModelcDriver

/// Which Swift files the commands read together.
@Suite struct SwiftFileSelectionTests {
    private let repository: GitRepository

    init() throws {
        repository = try GitRepository()
        try repository.write("@Model final class Book { var kind: Kind }", to: "Models/Book.swift")
        try repository.write("enum Kind: Int, Codable { case a }", to: "Shared/Kind.swift")
        try repository.write("@Model final class Book { var old: Int }", to: "Models/Old/Book.swift")
    }

    private func hash(_ arguments: String...) -> GitRepository.Outcome {
        repository.run { HashCommand.runProgram(arguments, in: $0) }
    }

    /// The hashes of `Book` with an enumeration of integers.
    private func expected() throws -> String {
        try repository.write(
            "@Model final class Book { var kind: Kind }\nenum Kind: Int, Codable { case a }", to: "Whole/Book.swift")
        return hash("Whole").output.replacing("Whole", with: "NAME")
    }

    @Test func severalPathsAreReadTogether() throws {
        let expected = try expected()
        for arguments in [
            ["Models/Book.swift", "Shared"], ["Models/Book.swift", "Shared/Kind.swift", "Shared"],
            ["Models", "Shared", "--exclude", "Models/Old"], ["Models", "Shared", "--exclude", "Old"],
            ["Models", "--with", "Shared", "--exclude", "**/Old/*.swift"],
        ] {
            let result = repository.run { HashCommand.runProgram(arguments, in: $0) }
            #expect(result.code == .success, "\(arguments): \(result)")
            #expect(
                result.output.replacing("Models/", with: "").replacing("Models", with: "NAME")
                    .replacing("model Book", with: "model NAME") == expected, "\(arguments)")
        }
        #expect(hash("Models/Book.swift").code == .findings)
        #expect(hash("Models/Book.swift", "missing").code == .couldNotRun)
    }

    @Test func modelsOfOtherKindsAreReadAlone() throws {
        try repository.writeVersion("M", attributes: ["title"])
        let result = hash("M.xcdatamodeld", "Models")
        #expect(result.code == .couldNotRun && result.errorOutput.contains("only Swift sources"), "\(result)")
    }

    @Test func anUnreadableModelNamesTheWayToExcludeIt() {
        let result = hash("Models", "Shared")
        #expect(result.code == .findings)
        #expect(result.errorOutput.contains("pass `--exclude Models/Book.swift`"), "\(result)")
    }

    /// A repeated option adds files; it does not replace them.
    @Test func sourcesMayBeRepeated() throws {
        let freeze = repository.run {
            SwiftDataFreezeCommand.runProgram(
                ["SchemaV1", "--sources", "Models", "--sources", "Shared", "--exclude", "Old"], in: $0)
        }
        #expect(freeze.code == .success && freeze.output.contains("enum Kind: Int"), "\(freeze)")
        let check = repository.run {
            SwiftDataFreezeCommand.runProgram(
                ["--check", "--sources", "Models", "--sources", "Shared", "--exclude", "Old"], in: $0)
        }
        #expect(check.errorOutput.contains("there is no lock"), "\(check)")
    }

    /// `Schema.Version` takes three numbers.
    @Test(arguments: ["1", "1.2", "1.2.3.4", "-1.0.0", "1.+2.0", "1..0", "1.0.99999999999999999999"])
    func identifiersOfFrozenVersionsHaveThreeNumbers(identifier: String) {
        func freeze(_ identifier: String) -> GitRepository.Outcome {
            repository.run {
                SwiftDataFreezeCommand.runProgram(
                    [
                        "SchemaV1", "--sources", "Models", "--sources", "Shared", "--exclude", "Old",
                        "--identifier=\(identifier)",
                    ],
                    in: $0)
            }
        }
        let refused = freeze(identifier)
        #expect(refused.code == .couldNotRun && refused.output.isEmpty, "\(refused)")
        #expect(refused.errorOutput.contains("is not a version identifier"))
        #expect(freeze("1.2.10").output.contains("Schema.Version(1, 2, 10)"))
    }

    @Test func commandsThatSearchLeaveFilesOut() throws {
        try repository.write("enum Kind: Int, Codable { case a }", to: "Models/Kind.swift")
        for run in [
            { LintCommand.runProgram(["Models", "--exclude", "Models/Old"], in: $0) },
            { LockUpdateCommand.runProgram(["Models", "--exclude", "Models/Old"], in: $0) },
        ] as [(DriverEnvironment) -> ExitCode] {
            let result = repository.run(run)
            #expect(!"\(result)".contains("declared twice") && result.code == .success, "\(result)")
        }
    }

    @Test func aTargetOfAPackageHasItsFiles() throws {
        try repository.write(
            """
            // swift-tools-version: 6.1
            import PackageDescription
            let package = Package(name: "P", targets: [
                .target(name: "App", exclude: ["Old"]), .target(name: "Other", path: "Models", exclude: ["Old"]),
                .target(name: "Computed", exclude: files),
            ])
            """, to: "Package.swift")
        try repository.write("@Model final class Book { var x: Int }", to: "Sources/App/Book.swift")
        try repository.write("@Model final class Book { var y: Int }", to: "Sources/App/Old/Book.swift")
        let app = hash(".", "--target", "App")
        #expect(app.code == .success, "\(app)")
        #expect(hash("Package.swift", "--target", "App").code == .success)
        let other = hash(".", "Shared", "--target", "Other")
        #expect(other.code == .success && other.output.contains("  Book  "), "\(other)")
        for (arguments, part) in [
            ([".", "--target", "Ap"], "no target “Ap”"), ([".", "--target", "Computed"], "are not literals"),
            (["Shared", "--target", "App"], "neither a package"),
        ] {
            let result = repository.run { HashCommand.runProgram(arguments, in: $0) }
            #expect(result.code == .couldNotRun && result.errorOutput.contains(part), "\(result)")
        }
    }

    private static func project(_ targets: String...) -> String {
        """
        // !$*UTF8*$!
        { objects = {
            P = { isa = PBXProject; mainGroup = G; targets = (\(targets.joined(separator: ", "))); };
            G = { isa = PBXGroup; children = (GM, F, S); sourceTree = "<group>"; };
            GM = { isa = PBXGroup; children = (B); path = Models; sourceTree = "<group>"; };
            B = { isa = PBXFileReference; path = Book.swift; sourceTree = "<group>"; };
            K = { isa = PBXFileReference; path = Shared/Kind.swift; sourceTree = SOURCE_ROOT; };
            F = { isa = PBXFileReference; path = Assets.xcassets; sourceTree = "<group>"; };
            X = { isa = PBXFileReference; path = Kit.swift; sourceTree = SDKROOT; };
            S = { isa = PBXFileSystemSynchronizedRootGroup; path = Synced; exceptions = (E1, E2); sourceTree = "<group>"; };
            E1 = { isa = PBXFileSystemSynchronizedBuildFileExceptionSet; membershipExceptions = (Old, "Info.swift"); target = T2; };
            E2 = { isa = PBXFileSystemSynchronizedBuildFileExceptionSet; membershipExceptions = (Kind.swift); target = T1; };
            BB = { isa = PBXBuildFile; fileRef = B; }; BK = { isa = PBXBuildFile; fileRef = K; };
            BF = { isa = PBXBuildFile; fileRef = F; }; BX = { isa = PBXBuildFile; fileRef = X; };
            T1 = { isa = PBXNativeTarget; name = App; buildPhases = (PH, PR); };
            T2 = { isa = PBXNativeTarget; name = Tools; buildPhases = (PE); fileSystemSynchronizedGroups = (S); };
            PH = { isa = PBXSourcesBuildPhase; files = (BB, BF, BX); };
            PR = { isa = PBXResourcesBuildPhase; files = (BK); };
            PE = { isa = PBXSourcesBuildPhase; files = (); };
        }; }
        """
    }

    @Test func aTargetOfAProjectHasItsFiles() throws {
        let expected = try expected()
        try repository.write(Self.project("T1", "T2"), to: "App.xcodeproj/project.pbxproj")
        try repository.write("@Model final class Book { var kind: Kind }", to: "Synced/Deep/Book.swift")
        try repository.write("enum Kind: Int, Codable { case a }", to: "Synced/Kind.swift")
        try repository.write("@Model final class Book { var x: Int }", to: "Synced/Old/Book.swift")
        try repository.write("@Model final class Book { var x: Int }", to: "Synced/Info.swift")
        for name in ["App", "Tools"] {
            for path in ["App.xcodeproj", "App.xcodeproj/project.pbxproj"] {
                let result = hash(path, "--target", name)
                #expect(result.code == .success, "\(result)")
                let lines = result.output.split(separator: "\n").dropFirst()
                #expect(lines == expected.split(separator: "\n").dropFirst(), "\(result.output)")
            }
        }
        // A generated file is often missing before the first build.
        try FileManager.default.removeItem(at: repository.folder.appendingPathComponent("Models/Book.swift"))
        let incomplete = hash("App.xcodeproj", "--target", "App")
        #expect(incomplete.errorOutput.contains("the project lists the file, which does not exist"), "\(incomplete)")
        #expect(incomplete.errorOutput.contains("Models/Book.swift"), "\(incomplete)")
        let both = hash("App.xcodeproj")
        #expect(both.code == .couldNotRun && both.errorOutput.contains("“App”, “Tools”"), "\(both)")
        #expect(hash("App.xcodeproj", "--target", "Nothing").code == .couldNotRun)
        try repository.write("{ objects = ", to: "App.xcodeproj/project.pbxproj")
        #expect(hash("App.xcodeproj").code == .couldNotRun)
    }
}
