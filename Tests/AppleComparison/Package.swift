// swift-tools-version: 6.1
import PackageDescription

// The same tests run over Apple's Core Data on a Mac, and over this package's on Linux.
let package = Package(
    name: "AppleComparison",
    platforms: [.macOS(.v14)],
    dependencies: [.package(name: "modelc", path: "../..")],
    targets: [
        .testTarget(
            name: "AppleComparisonTests",
            dependencies: [.product(name: "CoreData", package: "modelc", condition: .when(platforms: [.linux]))],
            swiftSettings: [.define("SWIFTDATA", .when(platforms: [.macOS]))])
    ]
)
