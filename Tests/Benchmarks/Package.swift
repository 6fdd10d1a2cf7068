// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "modelc", path: "../..")],
    targets: [
        .executableTarget(
            name: "Benchmarks", dependencies: [.product(name: "CoreData", package: "modelc")],
            exclude: ["Generated/Bench.xcdatamodeld"])
    ],
    swiftLanguageModes: [.v6]
)
