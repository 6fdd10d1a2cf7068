// swift-tools-version: 6.1
import PackageDescription

// Separate from the other samples, which do not need libpq.
let package = Package(
    name: "PostgreSQLSamples",
    platforms: [.macOS(.v13)],
    products: [.library(name: "Stock", targets: ["Stock"])],
    dependencies: [.package(name: "modelc", path: "../..")],
    targets: [
        .target(
            name: "Stock",
            dependencies: [
                .product(name: "CoreData", package: "modelc"), .product(name: "CoreDataPostgreSQL", package: "modelc"),
            ]),
        .executableTarget(name: "Importer", dependencies: ["Stock"]),
        .executableTarget(name: "LiveList", dependencies: ["Stock"]),
    ],
    swiftLanguageModes: [.v6]
)
