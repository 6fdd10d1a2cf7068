import Foundation
import ModelcDriver
import TestSupport
import Testing

/// Compiles portable code against this package's own Core Data, in every build mode of users. CoreDataTests test that
/// it works, using code that is checked here not to be stale.
@Suite struct PortableGoldenTests {

    /// The compiler flags by mode.
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

    /// Returns every mode with every option in the long form; otherwise every mode and every option at least once.
    private static func combinations(of options: [String]) -> [(String, String)] {
        let modes = modes.keys.sorted()
        guard !runsLongForms else { return modes.flatMap { mode in options.map { (mode, $0) } } }
        return modes.enumerated().map { ($1, options[$0 % options.count]) }
    }

    @Test(
        .enabled(if: SwiftCompiler.path != nil, "swiftc is not in the path"),
        arguments: combinations(of: ["Out", "Package"]))
    func goldenCodeCompiles(_ mode: String, _ folder: String) throws {
        let modules = try #require(SwiftCompiler.modules)
        let cases = Checkout.root.appendingPathComponent("Tests/Tool/EndToEnd/Cases/generate-portable/expected")
        let file = cases.appendingPathComponent("\(folder)/All_Types+CoreDataModel.swift").path
        let messages = try SwiftCompiler.run(
            ["-typecheck", "-parse-as-library", "-package-name", "p", "-I", modules.path]
                + SwiftCompiler.moduleMapFlags + (Self.modes[mode] ?? []) + [file])
        #expect(messages == "")
    }

    /// Code with every feature compiles in every mode, with any access level and style of imports.
    @Test(
        .enabled(if: SwiftCompiler.path != nil, "swiftc is not in the path"),
        arguments: combinations(of: ["public", "package --imports access", "internal --imports plain"]))
    func everyFeatureCompilesInEveryMode(_ mode: String, _ options: String) throws {
        let modules = try #require(SwiftCompiler.modules)
        let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: scratch) }
        let folder = "Tests/Runtime/CoreDataTests/Generated"
        let arguments = ["--access"] + options.split(separator: " ").map(String.init)
        let (code, text) = Self.run(
            ["generate", "\(folder)/Features.xcdatamodeld", "-q", "-o", scratch.path] + Self.features + arguments)
        #expect(code == .success, "\(text)")
        let types = Self.featureTypes.replacing("$", with: arguments[1] == "internal" ? "" : arguments[1] + " ")
        let file = scratch.appendingPathComponent("Types.swift")
        try Data(types.utf8).write(to: file)
        let messages = try SwiftCompiler.run(
            ["-typecheck", "-parse-as-library", "-package-name", "p", "-I", modules.path]
                + SwiftCompiler.moduleMapFlags + (Self.modes[mode] ?? [])
                + [scratch.appendingPathComponent("Features+CoreDataModel.swift").path, file.path])
        #expect(messages == "")
    }

    /// The types named in the model; $ stands for the access level.
    static let featureTypes = """
        nonisolated $enum FeatureGenre: String { case novel, poem }
        nonisolated $enum FeatureMood: String { case glad, unclear }
        nonisolated $struct FeatureMarks: OptionSet { $let rawValue: Int; $init(rawValue: Int) { self.rawValue = rawValue } }
        nonisolated $struct FeatureSize: Codable { $var width: Double }
        nonisolated $struct FeatureWeight: RawRepresentable {
            $var rawValue: Float
            $init?(rawValue: Float) { self.rawValue = rawValue }
        }
        extension FeatureWork { nonisolated $enum Format: UInt8 { case print = 1 } }
        """

    private static let features = [
        "--flavor", "portable", "--with", "raw,codable,optionals,required,sets,ids,init,keys,fetches,docs,final",
    ]

    /// The code run by CoreDataTests equals modelc's current output.
    @Test(arguments: [("Gadgets", []), ("Features", features)])
    func testedCodeIsUpToDate(_ model: String, _ options: [String]) {
        let folder = "Tests/Runtime/CoreDataTests/Generated"
        let action = ProcessInfo.processInfo.environment["UPDATE_GOLDENS"] == "1" ? ["-q"] : ["-q", "--check"]
        let (code, text) = Self.run(
            [
                "generate", "\(folder)/\(model).xcdatamodeld", "-o", folder, "--flavor", "portable", "--access",
                "internal",
            ] + options + action)
        #expect(code == .success, "\(text)")
    }

    /// Runs modelc in this package's folder.
    private static func run(_ arguments: [String]) -> (ExitCode, String) {
        let recorder = Recorder()
        let environment = DriverEnvironment(
            files: POSIXFileSystem(workingDirectory: Checkout.root.path), output: { recorder.text += $0 },
            errorOutput: { recorder.text += $0 }, usesColor: false)
        return (Modelc.run(arguments: arguments, in: environment), recorder.text)
    }

    private final class Recorder {
        var text = ""
    }
}

/// The Swift compiler in the path.
enum SwiftCompiler {
    static let path: String? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/swiftc" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    /// The modules of this package, which SwiftPM builds next to the tests.
    static let modules: URL? = {
        let folder = Bundle.main.bundleURL.appendingPathComponent("Modules")
        return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
    }()

    /// The flags that locate this package's C modules: one whose map SwiftPM writes next to the tests, and the system's
    /// libraries.
    static let moduleMapFlags: [String] = {
        let sources = Checkout.root.appendingPathComponent("Sources")
        let maps = [
            Bundle.main.bundleURL.appendingPathComponent("CCoreDataSupport.build/module.modulemap"),
            sources.appendingPathComponent("Foundations/CSQLite3/module.modulemap"),
            sources.appendingPathComponent("Foundations/CSystemSQLite/module.modulemap"),
            sources.appendingPathComponent("Foundations/CZlib/module.modulemap"),
        ]
        return maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }
    }()

    /// Runs the compiler and returns its output.
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
