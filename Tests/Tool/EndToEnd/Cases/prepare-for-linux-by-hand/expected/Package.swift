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

// modelc: begin. Written by “prepare-for-linux”, which replaces these lines when it runs again.
// On Linux, modelc provides CoreData, compiles the models, and compiles copies of excluded Swift files.
// On Apple's platforms the package is built as if these lines were not here.
#if os(Linux)
for target in package.targets {
    switch target.name {
    case "Books":
        target.exclude += [
            "Classes",
        ]
    case "Tool":
        target.dependencies.append(
            .product(name: "CoreData", package: "modelc", condition: .when(platforms: [.linux])))
        target.exclude += [
            "Keys.swift",
        ]
        target.plugins = (target.plugins ?? []) + [.plugin(name: "ModelcBuildPlugin", package: "modelc")]
    default:
        break
    }
}
#endif
// modelc: end
