// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Trips",
    platforms: [.macOS(.v14), .iOS(.v17)],
    // The trait adds the macros, and swift-syntax with them.
    dependencies: [.package(name: "modelc", path: "../..", traits: ["SwiftData"])],
    targets: [
        .target(
            name: "Trips",
            // Apple's platforms include SwiftData.
            dependencies: [.product(name: "SwiftData", package: "modelc", condition: .when(platforms: [.linux]))]),
        .testTarget(name: "TripsTests", dependencies: ["Trips"]),
    ],
    swiftLanguageModes: [.v6]
)
