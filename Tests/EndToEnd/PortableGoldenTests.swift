import Foundation
import ModelcDriver
import Testing

@testable import modelc

/// Portable code is compiled against this package's own Core Data, in every mode that users build with. That it works is
/// tested in CoreDataTests, with code that is checked here not to be stale.
@Suite struct PortableGoldenTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Flags of the modes, and whether their names say enough.
    private static let modes: [String: [String]] = [
        "Swift 5": ["-swift-version", "5"],
        "Swift 6": ["-swift-version", "6"],
        "default isolation MainActor": ["-swift-version", "6", "-default-isolation", "MainActor"],
        "internal imports": ["-swift-version", "6", "-enable-upcoming-feature", "InternalImportsByDefault"],
        "member import visibility": [
            "-swift-version", "5", "-enable-upcoming-feature", "MemberImportVisibility", "-enable-upcoming-feature",
            "ExistentialAny",
        ],
    ]

    @Test(
        .enabled(if: SwiftCompiler.path != nil, "swiftc is not in the path"),
        arguments: modes.keys.sorted(), ["Out", "Package"])
    func compiles(_ mode: String, _ folder: String) throws {
        let modules = try #require(SwiftCompiler.modules)
        let cases = Self.root.appendingPathComponent("Tests/EndToEnd/Cases/generate-portable/expected")
        let file = cases.appendingPathComponent("\(folder)/All_Types+CoreDataModel.swift").path
        let messages = try SwiftCompiler.run(
            ["-typecheck", "-parse-as-library", "-package-name", "p", "-I", modules.path]
                + SwiftCompiler.moduleMapFlags + (Self.modes[mode] ?? []) + [file])
        #expect(messages == "")
    }

    /// The code that CoreDataTests run is what modelc writes now.
    @Test func testedCodeIsNotStale() {
        let recorder = Recorder()
        let environment = DriverEnvironment(
            files: POSIXFileSystem(workingDirectory: Self.root.path), output: { recorder.text += $0 },
            errorOutput: { _ in }, usesColor: false)
        let folder = "Tests/CoreDataTests/Generated"
        let action = ProcessInfo.processInfo.environment["UPDATE_GOLDENS"] == "1" ? ["-q"] : ["-q", "--check"]
        let code = Modelc.run(
            arguments: [
                "generate", "\(folder)/Gadgets.xcdatamodeld", "-o", folder, "--flavour", "portable", "--access",
                "internal",
            ] + action, in: environment)
        #expect(code == .success, "\(recorder.text)")
    }

    private final class Recorder {
        var text = ""
    }
}

/// The Swift compiler of the path.
enum SwiftCompiler {
    static let path: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/swiftc" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    /// The modules of this package, as SwiftPM built them beside the tests.
    static let modules: URL? = {
        let folder = Bundle.main.bundleURL.appendingPathComponent("Modules")
        return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
    }()

    /// What finds this package's modules of C: one that SwiftPM writes the map of beside the tests, and the system's libraries.
    static let moduleMapFlags: [String] = {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources")
        let maps = [
            Bundle.main.bundleURL.appendingPathComponent("CCoreDataSupport.build/module.modulemap"),
            sources.appendingPathComponent("CSQLite3/module.modulemap"),
            sources.appendingPathComponent("CZlib/module.modulemap"),
        ]
        return maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }
    }()

    /// Runs the compiler and gives what it prints.
    static func run(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(path))
        process.arguments = arguments
        let pipe = Pipe()
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self)
    }
}
