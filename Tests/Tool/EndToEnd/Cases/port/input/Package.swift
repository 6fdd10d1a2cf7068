// swift-tools-version: 5.9
import PackageDescription

let package = Package(
    name: "Journal",
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [
        .library(name: "Journal", targets: ["Journal"]),
    ],
    targets: [
        .target(
            name: "Journal",
            resources: [.process("Model/Journal.xcdatamodeld")]
        ),
        .testTarget(name: "JournalTests", dependencies: ["Journal"]),
    ]
)
