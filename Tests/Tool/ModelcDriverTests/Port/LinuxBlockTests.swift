import Testing

@testable import ModelcDriver

/// The lines added to a manifest by `prepare-for-linux`.
@Suite struct LinuxBlockTests {
    private let block = LinuxBlock(
        packageName: "package", location: LinuxBlock.location("https://example.org/modelc"),
        targets: [
            LinuxBlock.Target(name: "A", excluded: ["A.xcdatamodeld", "Bücher & \"mehr\""]),
            LinuxBlock.Target(name: "ATests", addsPlugin: false),
        ])

    /// SwiftPM resolves paths in the package, and the user names them in the working directory.
    @Test(arguments: [
        ("../modelc", "Storage", "path: \"../../modelc\""), ("../modelc", ".", "path: \"../modelc\""),
        ("../missing", "Storage", "path: \"../missing\""), ("https://example.org/modelc", "Storage", "url: "),
    ])
    func locationsArePathsFromThePackage(location: String, package: String, expected: String) throws {
        let scratch = try Scratch()
        try scratch.write("", to: "modelc/Package.swift")
        try scratch.write("", to: "work/Storage/Package.swift")
        let files = POSIXFileSystem(workingDirectory: scratch.url("work").path)
        #expect(LinuxBlock.location(location, inPackage: package, files).contains(expected))
    }

    private func applying(_ block: LinuxBlock?, to text: String) -> String {
        String(decoding: PackageManifest(Array(text.utf8)).applying(block), as: UTF8.self)
    }

    /// Manifests in the styles found in other packages.
    private static let styles = [
        // One line; no line feed at the end.
        "// swift-tools-version:5.5\nimport PackageDescription\nlet package = Package(name: \"A\", targets: [.target(name: \"A\")])",
        // Trailing commas, comments, existing arguments.
        """
        // swift-tools-version: 5.9
        import PackageDescription

        let package = Package(
            name: "A",  // the name
            products: [.library(name: "A", targets: ["A"]),],
            dependencies: [
                // .package(path: "../modelc"),
                .package(name: "B", url: "https://example.org/B", from: "1.0.0"),
            ],
            targets: [
                .target(name: "A", dependencies: [.product(name: "B", package: "B")], exclude: ["README.md",], plugins: [],),
                .testTarget(name: "ATests", dependencies: ["A"]),
            ],
            swiftLanguageVersions: [.v5]
        )

        """,
        // Targets in a constant, and code after the package.
        """
        // swift-tools-version:6.0
        import PackageDescription
        var targets: [Target] = [.target(name: "A")]
        #if os(macOS)
        targets.append(.target(name: "Mac"))
        #endif
        let package = Package(name: "A", targets: targets)
        for target in package.targets { target.swiftSettings = [] }

        """,
    ]

    @Test(arguments: styles)
    func anEditOnlyAppends(_ style: String) {
        let edited = applying(block, to: style)
        #expect(edited.hasPrefix(style))
        #expect(edited.hasSuffix("\n\n" + block.text))
        #expect(PackageManifest(Array(edited.utf8)).isBalanced)
    }

    @Test(arguments: styles)
    func aSecondEditReplacesTheFirst(_ style: String) {
        let edited = applying(block, to: style)
        #expect(applying(block, to: edited) == edited)
        var other = block
        other.targets.removeLast()
        #expect(applying(other, to: edited) == applying(other, to: style))
    }

    @Test func linesBehindTheBlockStay() {
        let edited = applying(block, to: Self.styles[1]) + "// more\n"
        #expect(applying(block, to: edited) == edited)
        #expect(applying(nil, to: edited) == Self.styles[1] + "\n// more\n")
    }

    @Test func linesEndAsInTheManifest() {
        let style = Self.styles[1].replacing("\n", with: "\r\n")
        let edited = applying(block, to: style)
        #expect(edited.hasPrefix(style))
        let lines = edited.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
        #expect(lines.allSatisfy { $0.last == UInt8(ascii: "\r") })
        #expect(applying(block, to: edited) == edited)
    }

    /// The block's own entries must not count as the manifest's, or a second run would add nothing.
    @Test func theBlockIsNotReadAsPartOfTheManifest() throws {
        let read = PackageManifest(Array(applying(block, to: Self.styles[0]).utf8))
        #expect(!read.dependsOnModelc)
        #expect(!read.sharesModelc)
        #expect(read.targets == [PackageManifest.Target(name: "A", isTest: false)])
        #expect(LinuxBlock.location(inBlock: read.blockText) == "url: \"https://example.org/modelc\", from: \"0.2.0\"")
    }

    @Test func aBlockWithoutAnEndIsBroken() {
        let edited = applying(block, to: Self.styles[0])
        #expect(PackageManifest(Array(edited.replacing(LinuxBlock.lastLine, with: "//").utf8)).hasBrokenBlock)
        #expect(PackageManifest(Array((edited + edited).utf8)).hasBrokenBlock)
        #expect(!PackageManifest(Array(edited.utf8)).hasBrokenBlock)
    }

    @Test func locationsAreURLsOrFolders() {
        #expect(LinuxBlock.location("../modelc") == "name: \"modelc\", path: \"../modelc\"")
        #expect(
            LinuxBlock.location("git@example.org:a/modelc.git")
                == "url: \"git@example.org:a/modelc.git\", from: \"0.2.0\"")
        #expect(LinuxBlock.location("a\"b\\(c)") == #"name: "modelc", path: "a\"b\\(c)""#)
    }

    /// Names are escaped in literals, so that a quotation mark cannot add code to a manifest.
    @Test func namesAreEscaped() {
        #expect(block.text.contains(#""Bücher & \"mehr\"","#))
    }
}
