// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "App",
    dependencies: [.package(url: "https://example.org/modelc", from: "0.2.0")],
    targets: [
        .target(
            name: "App",
            dependencies: [.product(name: "CoreData", package: "modelc", condition: .when(platforms: [.linux]))],
            exclude: ["Shop.xcdatamodeld"],
            plugins: [.plugin(name: "ModelcBuildPlugin", package: "modelc")])
    ]
)
