// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Core",
    targets: [
        .target(name: "Core"),
        .target(name: "Log"),
        .testTarget(name: "CoreTests", dependencies: ["Core"]),
    ]
)

// modelc: begin. Written by “prepare-for-linux”, which replaces these lines when it runs again.
// On Linux, modelc provides CoreData, compiles the models, and compiles copies of excluded Swift files.
// On Apple's platforms the package is built as if these lines were not here.
#if os(Linux)
package.dependencies.append(.package(url: "https://example.org/modelc", from: "0.2.0", traits: ["OpenCombine"]))
package.dependencies.append(
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"))
for target in package.targets {
    switch target.name {
    case "Core":
        target.dependencies.append(
            .product(name: "CoreData", package: "modelc", condition: .when(platforms: [.linux])))
        target.dependencies.append(
            .product(name: "OpenCombineShim", package: "OpenCombine", condition: .when(platforms: [.linux])))
        target.exclude += [
            "Changes.swift",
            "Icon.swift",
            "Left.swift",
            "Local.swift",
            "Log.swift",
            "Migrations/Old.xcmappingmodel",
            "Unused.swift",
        ]
        target.plugins = (target.plugins ?? []) + [.plugin(name: "ModelcBuildPlugin", package: "modelc")]
    case "CoreTests":
        target.dependencies.append(
            .product(name: "CoreData", package: "modelc", condition: .when(platforms: [.linux])))
        target.plugins = (target.plugins ?? []) + [.plugin(name: "ModelcBuildPlugin", package: "modelc")]
    case "Log":
        target.dependencies.append(
            .product(name: "CoreData", package: "modelc", condition: .when(platforms: [.linux])))
        target.exclude += [
            "Log.swift",
        ]
        target.plugins = (target.plugins ?? []) + [.plugin(name: "ModelcBuildPlugin", package: "modelc")]
    default:
        break
    }
}
#endif
// modelc: end
