import TestSupport
import Testing

@testable import ModelcDriver

/// Manifests in common styles, read without running them.
@Suite struct PackageManifestTests {
    private func manifest(_ text: String) -> PackageManifest { PackageManifest(Array(text.utf8)) }

    /// Returns a manifest with a list of targets.
    private func manifest(targets: String) -> PackageManifest {
        manifest(
            "// swift-tools-version:5.9\nimport PackageDescription\nlet package = Package(name: \"P\", targets: [\(targets)])\n"
        )
    }

    @Test(arguments: [
        ("// swift-tools-version:5.5", 5, 5), ("// swift-tools-version: 6.0", 6, 0),
        ("//swift-tools-version:5.10.1", 5, 10), ("\n\n// Swift-Tools-Version: 5.9 ; more", 5, 9),
        ("// swift-tools-version: 6", 6, 0),
    ])
    func readsTheToolsVersion(_ line: String, _ major: Int, _ minor: Int) throws {
        let version = try #require(manifest(line + "\nimport PackageDescription\n").toolsVersion)
        #expect(version == (major, minor))
    }

    @Test func aManifestNeedNotStateAToolsVersion() {
        #expect(manifest("import PackageDescription\n").toolsVersion == nil)
        #expect(manifest("// swift-tools-version:\n").toolsVersion == nil)
        #expect(manifest("").toolsVersion == nil)
    }

    @Test(arguments: [
        "let package = Package(name: \"P\")", "var package = Package(name: \"P\")",
        "let package: Package = Package(name: \"P\")", "let package: Package = .init(name: \"P\")",
        "let package = Package.init(\n    name: \"P\"\n)", "let package=Package(name:\"P\",)",
    ])
    func findsThePackagesConstant(_ text: String) {
        #expect(manifest(text).packageNames == ["package"])
        #expect(!manifest(text).isPackageConditional)
    }

    @Test func aPackageMadeByAFunctionHasNoKnownConstant() {
        #expect(manifest("let package = makePackage()").packageNames == [])
        #expect(manifest("let name = Package.name").packageNames == [])
        #expect(manifest("func f() { let package = Package(name: \"P\") }").packageNames == [])
        #expect(manifest("// let package = Package(name: \"P\")").packageNames == [])
        #expect(manifest("let text = \"let package = Package()\"").packageNames == [])
    }

    @Test func aPackageInAConditionIsConditional() {
        let text =
            "#if os(Linux)\nlet package = Package(name: \"P\")\n#else\nlet package = Package(name: \"Q\")\n#endif\n"
        #expect(manifest(text).packageNames == ["package", "package"])
        #expect(manifest(text).isPackageConditional)
    }

    @Test func readsTargetsWithTheirArguments() {
        let read = manifest(
            targets: """

                .target(name: "A"),   // , .target(name: "Comment")
                .executableTarget(
                    name: "B", dependencies: ["A", .target(name: "A"), .product(name: "CoreData", package: "modelc")],
                    path: "Code/B", exclude: ["B.xcdatamodeld", "Old",], sources: ["Main"],
                    plugins: [.plugin(name: "ModelcBuildPlugin", package: "modelc")]),
                Target.testTarget(name: "BTests", dependencies: [.byName(name: "B")]),
                .plugin(name: "Tool", capability: .buildTool()),
                .binaryTarget(name: "Binary", path: "B.xcframework"),

                """)
        #expect(
            read.targets == [
                PackageManifest.Target(name: "A", isTest: false),
                PackageManifest.Target(
                    name: "B", isTest: false, path: "Code/B", excluded: ["B.xcdatamodeld", "Old"], sources: ["Main"],
                    dependsOnCoreData: true, usesPlugin: true),
                PackageManifest.Target(name: "BTests", isTest: true),
            ])
        #expect(!read.hasComputedTargets)
        #expect(!read.sharesModelc)
        #expect(read.isBalanced)
    }

    @Test(arguments: [
        ".target(name: name)", ".target(name: \"A\\(suffix)\")", ".target(name: \"A\", path: folder)",
        ".target(name: prefix + \"A\")",
    ])
    func namesAndPathsThatAreComputedAreNoticed(_ target: String) {
        #expect(manifest(targets: target).hasComputedTargets)
    }

    @Test func anExcludeListThatIsComputedIsUnknown() {
        #expect(manifest(targets: ".target(name: \"A\", exclude: files)").targets.first?.excluded == nil)
        #expect(manifest(targets: ".target(name: \"A\", exclude: [\"a\"] + files)").targets.first?.excluded == nil)
        #expect(manifest(targets: ".target(name: \"A\", exclude: [])").targets.first?.excluded == [])
    }

    @Test(arguments: [
        ".package(url: \"https://example.org/modelc.git\", from: \"0.1.0\")", ".package(path: \"../modelc\")",
        ".package(name: \"modelc\", path: \"../../..\")",
        ".package(url: \"git@example.org:x/Modelc\", branch: \"main\")",
    ])
    func findsTheDependencyOnModelc(_ dependency: String) {
        #expect(manifest("let package = Package(name: \"P\", dependencies: [\(dependency)])").dependsOnModelc)
        #expect(!manifest("let package = Package(name: \"P\", dependencies: [])\n// \(dependency)").dependsOnModelc)
    }

    @Test func otherPackagesAreNotModelc() {
        #expect(
            !manifest("dependencies: [.package(url: \"https://example.org/modelc-tools\", from: \"1.0.0\")]")
                .dependsOnModelc)
    }

    @Test func aPluginOrProductInAConstantIsNoticed() {
        #expect(
            manifest("let coreData: [Target.Dependency] = [.product(name: \"CoreData\", package: \"modelc\")]")
                .sharesModelc)
        #expect(!manifest("products: [.library(name: \"CoreData\", targets: [])]").sharesModelc)
        #expect(manifest("let plugins = [.plugin(name: \"ModelcBuildPlugin\", package: \"modelc\")]").sharesModelc)
    }

    @Test(arguments: ["let package = Package(", "}", "#if os(Linux)\nlet a = 1", "let a = [1"])
    func bracketsThatAreNotBalancedAreNoticed(_ text: String) {
        #expect(!manifest(text).isBalanced)
    }

    /// For any bytes, reading terminates and the edit keeps all of them.
    @Test func damagedManifestsAreReadAndKept() {
        let source = Array(
            """
            // swift-tools-version: 5.9
            import PackageDescription
            let package = Package(name: "P", dependencies: [.package(path: "../modelc")], targets: [
                .target(name: "A", exclude: ["A.xcdatamodeld"], plugins: [.plugin(name: "ModelcBuildPlugin", package: "modelc")]),
            ])
            // modelc: begin
            #if os(Linux)
            #endif
            // modelc: end

            """.utf8)
        var random = SeededGenerator(seed: 15)
        for _ in 0..<1_000 {
            var bytes = source
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let location = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes.remove(at: location)
                case 1: bytes.insert(UInt8.random(in: 0...255, using: &random), at: location)
                default: bytes.removeSubrange(location..<min(bytes.count, location + 30))
                }
                if bytes.isEmpty { bytes = source }
            }
            let read = PackageManifest(bytes)
            let block = LinuxBlock(packageName: "package", targets: [LinuxBlock.Target(name: "A")])
            let edited = read.applying(block)
            let text = Array(block.text.utf8)
            if read.block == nil { #expect(edited.starts(with: bytes)) }
            #expect(edited.count >= text.count)
        }
    }
}
