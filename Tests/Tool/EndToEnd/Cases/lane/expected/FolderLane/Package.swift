// swift-tools-version: 6.1
// Written by “modelc lane”: models and sources that compile on Linux. lane.json lists those that are left out.
import PackageDescription

let package = Package(
    name: "Folder",
    platforms: [.iOS(.v17), .macOS(.v14)],
    products: [.library(name: "Folder", targets: ["Folder"])],
    targets: [
        .target(name: "Folder", path: "Sources/Folder"),
    ],
    swiftLanguageModes: [.v5]
)

// modelc: begin. Written by “prepare-for-linux”, which replaces these lines when it runs again.
// On Linux, modelc provides CoreData, compiles the models, and compiles copies of excluded Swift files.
// On Apple's platforms the package is built as if these lines were not here.
#if os(Linux)
package.dependencies.append(.package(url: "https://example.org/modelc", from: "0.2.0", traits: ["SwiftData"]))
for target in package.targets {
    switch target.name {
    case "Folder":
        target.dependencies.append(
            .product(name: "CoreData", package: "modelc", condition: .when(platforms: [.linux])))
        target.dependencies.append(
            .product(name: "SwiftData", package: "modelc", condition: .when(platforms: [.linux])))
    default:
        break
    }
}
#endif
// modelc: end
