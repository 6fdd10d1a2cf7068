// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "Books",
    dependencies: [.package(url: "https://example.org/modelc.git", from: "0.1.0")],
    targets: [
        .target(
            name: "Books",
            dependencies: [.product(name: "CoreData", package: "modelc", condition: .when(platforms: [.linux]))],
            exclude: ["Books.xcdatamodeld"],
            plugins: [.plugin(name: "ModelcBuildPlugin", package: "modelc")]),
        .executableTarget(name: "Tool", dependencies: ["Books"]),
        .target(name: "Plain"),
    ]
)
