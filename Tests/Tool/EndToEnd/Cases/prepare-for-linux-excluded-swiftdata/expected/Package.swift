// swift-tools-version:5.9
import PackageDescription
let package = Package(name: "C", targets: [.target(name: "A"), .target(name: "B", exclude: ["B.swift"])])

// modelc: begin. Written by “prepare-for-linux”, which replaces these lines when it runs again.
// On Linux, modelc provides CoreData, compiles the models, and compiles copies of excluded Swift files.
// On Apple's platforms the package is built as if these lines were not here.
#if os(Linux)
package.dependencies.append(.package(name: "modelc", path: "../modelc"))
for target in package.targets {
    switch target.name {
    case "A":
        target.dependencies.append(
            .product(name: "CoreData", package: "modelc", condition: .when(platforms: [.linux])))
    case "B":
        target.dependencies.append(
            .product(name: "CoreData", package: "modelc", condition: .when(platforms: [.linux])))
    default:
        break
    }
}
#endif
// modelc: end
