// swift-tools-version:6.1
import PackageDescription

let package = Package(
    name: "Storage",
    platforms: [.iOS(.v16)],
    products: [.library(name: "Storage", targets: ["Storage"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.0.0"),
        .package(name: "modelc", path: "../modelc"), // logging
    ],
    targets: [
        // Everything that is stored.
        .target(
            name: "Storage",
            dependencies: [
                .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreData", package: "modelc", condition: .when(platforms: [.linux]))
            ],
            exclude: ["Books.xcdatamodeld"],
            swiftSettings: [.define("STORAGE")],
            plugins: [.plugin(name: "ModelcBuildPlugin", package: "modelc")]
        ),
        .testTarget(name: "StorageTests", dependencies: ["Storage"]),
    ],
    swiftLanguageModes: [.v6]
)
