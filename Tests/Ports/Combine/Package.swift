// swift-tools-version: 6.1
import PackageDescription

// A package as it is on Apple's platforms. Tests/Ports/combine.py prepares a copy of it for Linux.
let package = Package(
    name: "Feed",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [.library(name: "Feed", targets: ["Feed"])],
    targets: [
        .target(name: "Feed", resources: [.process("Feed.xcdatamodeld")]),
        .testTarget(name: "FeedTests", dependencies: ["Feed"]),
    ],
    swiftLanguageModes: [.v5]
)
