// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "modelc", path: "../.."),
        // The reference for the store benchmarks; the project itself does not need it.
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    ],
    targets: [
        .systemLibrary(name: "CMemory"),
        .systemLibrary(name: "CPQReference", pkgConfig: "libpq"),
        .systemLibrary(name: "CSQLiteReference", pkgConfig: "sqlite3"),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                .product(name: "CoreData", package: "modelc"), .product(name: "CoreDataPostgreSQL", package: "modelc"),
                .product(name: "GRDB", package: "GRDB.swift"), "CMemory", "CPQReference", "CSQLiteReference",
            ],
            exclude: ["Generated/Bench.xcdatamodeld", "Generated/Mixed.xcdatamodeld", "Generated/Quoted.xcdatamodeld"]),
    ],
    swiftLanguageModes: [.v6]
)
