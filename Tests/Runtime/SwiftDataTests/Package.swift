// swift-tools-version: 6.1
import PackageDescription

// A package of its own, because the macros need the trait, with which the root package fetches and builds swift-syntax.
let package = Package(
    name: "SwiftDataTests",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "modelc", path: "../../..", traits: ["SwiftData"])],
    targets: [
        .testTarget(
            name: "SwiftDataTests",
            dependencies: [.product(name: "SwiftData", package: "modelc", condition: .when(platforms: [.linux]))]),
        .testTarget(
            name: "AppStyleTests",
            dependencies: [.product(name: "SwiftData", package: "modelc", condition: .when(platforms: [.linux]))]),
        // Model layers in the style of public packages: what Apple's compiler and framework accept.
        .testTarget(
            name: "LibraryStyleTests",
            dependencies: [.product(name: "SwiftData", package: "modelc", condition: .when(platforms: [.linux]))]),
        // A library in Swift 5's language mode, whose models are public, and its tests.
        .target(
            name: "KitchenModels",
            dependencies: [.product(name: "SwiftData", package: "modelc", condition: .when(platforms: [.linux]))],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(
            name: "KitchenTests",
            dependencies: [
                "KitchenModels",
                .product(name: "SwiftData", package: "modelc", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        // As in the app targets that Xcode 26 creates.
        .testTarget(
            name: "MainActorTests",
            dependencies: [.product(name: "SwiftData", package: "modelc", condition: .when(platforms: [.linux]))],
            swiftSettings: [.unsafeFlags(["-default-isolation", "MainActor"])]),
    ],
    swiftLanguageModes: [.v6]
)
