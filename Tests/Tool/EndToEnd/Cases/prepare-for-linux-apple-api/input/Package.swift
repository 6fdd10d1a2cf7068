// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Core",
    targets: [
        .target(name: "Core"),
        .target(name: "Log"),
        .testTarget(name: "CoreTests", dependencies: ["Core"]),
    ]
)
