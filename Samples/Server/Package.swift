// swift-tools-version: 6.1
import PackageDescription

// Separate from the other samples, which do not need a web server.
let package = Package(
    name: "ServerSample",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(name: "modelc", path: "../.."),
        .package(name: "PostgreSQLSamples", path: "../PostgreSQL"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: ["FullFoundation"]),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.0.0"),
    ],
    targets: [
        .target(
            name: "StockService",
            dependencies: [
                .product(name: "CoreData", package: "modelc"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .executableTarget(
            name: "StockServer", dependencies: ["StockService", .product(name: "Stock", package: "PostgreSQLSamples")]),
        .testTarget(
            name: "StockServiceTests",
            dependencies: [
                "StockService", .product(name: "Stock", package: "PostgreSQLSamples"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
