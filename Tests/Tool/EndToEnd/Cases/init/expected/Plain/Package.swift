// swift-tools-version: 5.9
import PackageDescription

let package = Package(
    name: "App",
    dependencies: [.package(url: "https://example.org/modelc.git", from: "0.2.0")],
    targets: [
        .executableTarget(name: "App", dependencies: [.product(name: "CoreData", package: "modelc", condition: .when(platforms: [.linux]))], exclude: ["App.xcdatamodeld"], plugins: [.plugin(name: "ModelcBuildPlugin", package: "modelc")]),
    ]
)
