// swift-tools-version: 6.1
import PackageDescription

let package = Package(name: "Two", dependencies: [.package(name: "modelc", path: "../modelc")], targets: [.target(name: "A"), .target(name: "B", dependencies: ["A", .product(name: "CoreData", package: "modelc", condition: .when(platforms: [.linux]))], exclude: ["B.xcdatamodeld"], plugins: [.plugin(name: "ModelcBuildPlugin", package: "modelc")])])
