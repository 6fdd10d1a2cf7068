// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "modelc", path: "../..")],
    targets: [
        .systemLibrary(name: "CSQLiteReference", pkgConfig: "sqlite3"),
        .executableTarget(
            name: "Benchmarks", dependencies: [.product(name: "CoreData", package: "modelc"), "CSQLiteReference"],
            exclude: ["Generated/Bench.xcdatamodeld"]),
    ],
    swiftLanguageModes: [.v6]
)
