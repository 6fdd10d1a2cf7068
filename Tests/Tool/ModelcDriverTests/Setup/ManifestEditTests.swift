import Foundation
import Testing

@testable import ModelcDriver

@Suite struct ManifestEditTests {
    private static let addition = ManifestEdit.Addition(
        target: "App", excluded: "App.xcdatamodeld", location: "path: \"../modelc\"", addsDependency: true,
        addsPlugin: true)

    private static func edited(_ body: String) -> String? {
        let manifest = "// swift-tools-version: 5.9\nimport PackageDescription\n\n" + body
        let edited = ManifestEdit.applying(addition, to: PackageManifest(Array(manifest.utf8)))
        return edited.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Valid manifests in common forms.
    private static let certain = [
        #"let package = Package(name: "P", targets: [.target(name: "App")])"#,
        #"let package = Package(name: "P", targets: [.target(name: "App",),],)"#,
        #"let package = Package(name: "P", dependencies: [], targets: [.target(name: "App", dependencies: [], path: "Sources/App")])"#,
        """
        let package = Package(
          name: "P",
          dependencies: [
            .package(path: "../log") // ], ) and "
          ],
          targets: [
            .target(name: "Other"),
            .executableTarget(
              name: "App", // the app: ( [
              dependencies: [
                "Other",
                .product(name: "Log", package: "log"),
              ],
              exclude: ["Info.plist"],
              swiftSettings: [.define("A")],
              plugins: []
            ),
          ]
        )
        """,
        "let package = Package(\r\n    name: \"P\",\r\n    targets: [\r\n        .target(name: \"App\")\r\n    ]\r\n)\r\n",
    ]

    @Test(arguments: certain)
    func theResultIsAManifest(_ body: String) throws {
        let text = try #require(Self.edited(body))
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("manifest-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(text.utf8).write(to: folder.appendingPathComponent("Package.swift"))
        let result = try ChildProcess.run(["swift", "package", "--package-path", folder.path, "dump-package"])
        try #require(result.exitCode == 0, "\(text)\n\(result.errorOutput)")
        let json = try #require(try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any])
        let targets = try #require(json["targets"] as? [[String: Any]])
        let app = try #require(targets.first { $0["name"] as? String == "App" })
        #expect((app["exclude"] as? [String])?.contains("App.xcdatamodeld") == true)
        let uses = "\(app["pluginUsages"] ?? "")", dependencies = "\(app["dependencies"] ?? "")"
        #expect(uses.contains("ModelcBuildPlugin") && dependencies.contains("CoreData"))
        #expect("\(json["dependencies"] ?? "")".contains("modelc"))
        // All existing words are kept, in order.
        var rest = text[...]
        for line in body.split(whereSeparator: \.isNewline) {
            for word in line.split(separator: " ") where word.allSatisfy({ $0.isLetter || $0.isNumber || $0 == ":" }) {
                let location = try #require(rest.firstRange(of: word), "\(word) is gone from\n\(text)")
                rest = rest[location.upperBound...]
            }
        }
        #expect(body.contains("\r\n") == text.dropFirst(60).contains("\r\n"))
    }

    @Test(arguments: [
        "let package = Package(name: \"P\", targets: names.map { .target(name: $0) })",
        "let targets: [Target] = [.target(name: \"App\")]\nlet package = Package(name: \"P\", targets: targets)",
        "let package = Package(name: \"P\", targets: [.target(name: \"App\", plugins: plugins)])",
        "let package = Package(name: \"P\", targets: [.target(name: \"App\", exclude: common + [\"a\"])])",
        "let package = Package(name: \"P\", targets: [.target(name: \"App\"), .target(name: \"App\")])",
        "let package = Package(name: \"P\", targets: [.target(name: \"Other\")])",
        "let package = Package(name: \"P\", targets: [.testTarget(name: \"App\")])",
        "let package = Package(name: \"P\", targets: [.target(name: \"A\\u{70}p\")])",
        "#if os(Linux)\nlet package = Package(name: \"P\", targets: [.target(name: \"App\")])\n#endif",
        "let package = Package(name: \"P\", targets: [.target(name: \"App\")])\nlet other = Package(name: \"Q\")",
        "let package = Package(name: \"P\", targets: [.target(name: \"App\"",
    ])
    func uncertainManifestsAreNotEdited(_ body: String) {
        #expect(Self.edited(body) == nil)
    }

    @Test(arguments: [
        ("Swift version 6.3.1 (swift-6.3.1-RELEASE)\nTarget: x86_64", 6, 3),
        ("swift-driver version: 1.90 Apple Swift version 5.10 (swiftlang)", 5, 10),
    ])
    func toolchainVersions(output: String, major: Int, minor: Int) throws {
        let version = try #require(SwiftToolchain(output: output).version)
        #expect(version == (major, minor))
    }

    @Test func anUnknownToolchainHasNoVersion() {
        #expect(SwiftToolchain(output: "rubbish").version == nil)
    }
}
