// swift-tools-version: 6.1
import PackageDescription

// The program that `modelc studio` runs, and the whole `modelc` of a release. It is a separate package, so that
// packages that depend on modelc neither fetch nor build a web server, and so that building it leaves the modules that
// it shares with modelc as they are.
let package = Package(
    name: "Studio",
    platforms: [.macOS(.v13)],
    products: [.executable(name: "modelc-studio", targets: ["modelc-studio"])],
    dependencies: [
        .package(name: "modelc", path: ".."),
        .package(url: "https://github.com/swhitty/FlyingFox", .upToNextMinor(from: "0.27.0")),
    ],
    targets: [
        .executableTarget(
            name: "modelc-studio",
            dependencies: [
                .product(name: "StudioServer", package: "modelc"), .product(name: "FlyingFox", package: "FlyingFox"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
