import Foundation
import ModelcDriver
import TestSupport
import Testing

/// Type-checks code for Apple's platforms with Objective-C interoperability and a stand-in for Apple's Core Data, to
/// ensure that `@NSManaged` and `@objc` declarations have types supported by Objective-C and that every called method
/// exists.
///
/// The code itself has never been compiled on a Mac.
@Suite(.enabled(if: SwiftCompiler.path != nil, "swiftc is not in the path"))
struct AppleCodeTests {
    private static let stubs = Checkout.root.appendingPathComponent("Scripts/apple-stubs")

    /// The flags of a compiler for Apple's platforms that work here.
    private static let interoperability = ["-enable-objc-interop", "-disable-objc-attr-requires-foundation-module"]

    @Test(arguments: [
        "", "--isolation nonisolated --imports access", "--access internal --imports plain --keys-style mogenerator",
        "--style xcode12 --access package", "--isolation none --imports access",
    ])
    func featuresTypeCheck(_ options: String) throws {
        let messages = try Self.check(
            options, features: "raw,codable,optionals,required,sets,ids,init,keys,fetches,docs,final")
        // Xcode's own code also has imports with an access level that no declaration needs. For classes with a
        // stand-in, the compiler does not know that they belong to Foundation.
        let found = messages.filter {
            !$0.contains("warning: ") || options.contains("--imports") && !$0.contains("import of 'Foundation'")
        }
        #expect(found == [])
    }

    /// The check would not mean much if it accepted what Apple's compiler rejects.
    @Test func typesWithoutACounterpartInObjectiveCAreRejected() throws {
        let messages = try Self.check(
            "", features: "none", additional: "extension FeaturePoet { @NSManaged public var wrong: Int32? }"
        )
        .filter { $0.contains("error: ") }
        #expect(messages.count == 1, "\(messages)")
        #expect(messages.first?.contains("cannot be represented in Objective-C") == true)
    }

    /// Returns the errors and warnings in the code of the model with every feature.
    private static func check(_ options: String, features: String, additional: String = "") throws -> [String] {
        let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: scratch) }
        let modules = scratch.appendingPathComponent("Modules")
        try FileManager.default.createDirectory(at: modules, withIntermediateDirectories: true)
        let built = try SwiftCompiler.run(
            ["-frontend", "-emit-module", "-parse-as-library", "-module-name", "CoreData", "-swift-version", "6"]
                + [
                    "-experimental-skip-all-function-bodies", "-o",
                    modules.appendingPathComponent("CoreData.swiftmodule").path,
                ]
                + interoperability + [stubs.appendingPathComponent("CoreData.swift").path])
        try #require(built == "")
        let environment = DriverEnvironment(
            files: POSIXFileSystem(workingDirectory: Checkout.root.path), output: { _ in }, errorOutput: { _ in },
            usesColor: false)
        let code = Modelc.run(
            arguments: [
                "generate", "Tests/Runtime/CoreDataTests/Generated/Features.xcdatamodeld", "-q", "-o",
                scratch.appendingPathComponent("Code").path, "--with", features,
            ] + options.split(separator: " ").map(String.init), in: environment)
        try #require(code == .success)
        let access = options.contains("internal") ? "" : options.contains("package") ? "package " : "public "
        let types = PortableGoldenTests.featureTypes.replacing("$", with: access) + "\n" + additional
        let file = scratch.appendingPathComponent("Types.swift")
        try Data(("import Foundation\nimport CoreData\n" + types).utf8).write(to: file)
        let folder = scratch.appendingPathComponent("Code").path
        let sources = try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map { "\(folder)/\($0)" }
        let messages = try SwiftCompiler.run(
            [
                "-typecheck", "-wmo", "-parse-as-library", "-package-name", "p", "-swift-version", "6", "-I",
                modules.path,
            ]
                + (options.contains("--style") ? [] : ["-enable-upcoming-feature", "InternalImportsByDefault"])
                + interoperability.flatMap { ["-Xfrontend", $0] }
                + sources + [file.path, stubs.appendingPathComponent("FoundationClasses.swift").path])
        return messages.split(separator: "\n").map(String.init)
            .filter { ($0.contains(": error: ") || $0.contains(": warning: ")) && $0.hasPrefix("/") }
    }
}
