// swift-tools-version: 6.1
import PackageDescription

// A package of its own, because the macros need the trait, with which the root package fetches and builds swift-syntax.
let package = Package(
    name: "SwiftDataBenchmarks",
    dependencies: [.package(name: "modelc", path: "../../..", traits: ["SwiftData"])],
    targets: [
        .executableTarget(
            name: "SwiftDataBenchmarks",
            dependencies: [
                .product(name: "CoreData", package: "modelc"), .product(name: "SwiftData", package: "modelc"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
