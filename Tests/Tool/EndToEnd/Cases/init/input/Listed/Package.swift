// swift-tools-version:6.1
import PackageDescription

let package = Package(
    name: "Storage",
    platforms: [.iOS(.v16)],
    products: [.library(name: "Storage", targets: ["Storage"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.0.0"), // logging
    ],
    targets: [
        // Everything that is stored.
        .target(
            name: "Storage",
            dependencies: [
                .product(name: "Logging", package: "swift-log")
            ],
            exclude: [],
            swiftSettings: [.define("STORAGE")]
        ),
        .testTarget(name: "StorageTests", dependencies: ["Storage"]),
    ],
    swiftLanguageModes: [.v6]
)
