// swift-tools-version: 5.9
import PackageDescription

let package = Package(
    name: "Journal",
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [
        .library(name: "Journal", targets: ["Journal"]),
    ],
    targets: [
        .target(
            name: "Journal",
            resources: [.process("Model/Journal.xcdatamodeld")]
        ),
        .testTarget(name: "JournalTests", dependencies: ["Journal"]),
    ]
)

// modelc: begin. Written by “prepare-for-linux”, which replaces these lines when it runs again.
// On Linux, modelc provides CoreData, compiles the models, and compiles copies of excluded Swift files.
// On Apple's platforms the package is built as if these lines were not here.
#if os(Linux)
package.dependencies.append(.package(url: "https://example.org/modelc", from: "0.2.0"))
for target in package.targets {
    switch target.name {
    case "Journal":
        target.dependencies.append(
            .product(name: "CoreData", package: "modelc", condition: .when(platforms: [.linux])))
        target.exclude += [
            "Model",
            "Store/JournalStore.swift",
            "UI/EntryList.swift",
        ]
        target.resources?.removeAll { "\($0)".contains("\"Model/Journal.xcdatamodeld\"") }
        target.plugins = (target.plugins ?? []) + [.plugin(name: "ModelcBuildPlugin", package: "modelc")]
    case "JournalTests":
        target.dependencies.append(
            .product(name: "CoreData", package: "modelc", condition: .when(platforms: [.linux])))
    default:
        break
    }
}
#endif
// modelc: end
